/**
 * The message by which the hook in the page's own world reports an API response.
 *
 * A page can send the same message itself. It is therefore taken as the page's word, for the page's own origin, and
 * nothing more.
 */

/** Marks our messages among those of the page. */
export const HOOK_MARK = "sidewire:api-hook:1";
/** Longest response that is looked at, in UTF-16 units. */
export const RESPONSE_MAX = 256 * 1024;

/** `ready` is sent once, when the hook is in place. */
export type HookMessage =
  | { mark: typeof HOOK_MARK; kind: "ready" }
  | { mark: typeof HOOK_MARK; kind: "response"; url: string; status: number; text: string };

/** True for a message of the hook, or a forged one of the same form and size. */
export function isHookMessage(value: unknown): value is HookMessage {
  if (typeof value !== "object" || value === null || !("mark" in value) || value.mark !== HOOK_MARK) return false;
  if (!("kind" in value)) return false;
  if (value.kind === "ready") return true;
  return (
    value.kind === "response" &&
    "url" in value &&
    typeof value.url === "string" &&
    value.url.length <= 8192 &&
    "status" in value &&
    typeof value.status === "number" &&
    "text" in value &&
    typeof value.text === "string" &&
    value.text.length <= RESPONSE_MAX
  );
}

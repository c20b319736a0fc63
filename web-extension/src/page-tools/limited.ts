/** Bounds a piece of work in time, also when the work itself takes no notice. */
import { ToolError } from "./errors";

/**
 * Runs some work that ends with its signal. When the outer signal ends first it fails as `cancelled` at once, when the
 * time is over as `timeout`; what the work does afterwards is ignored.
 */
export async function limited<T>(
  outer: AbortSignal,
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (outer.aborted) throw new ToolError("cancelled");
  const inner = new AbortController();
  let stop = (): void => {};
  const ended = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new ToolError("timeout")), milliseconds);
    const cancel = (): void => reject(new ToolError("cancelled"));
    outer.addEventListener("abort", cancel, { once: true });
    stop = () => {
      clearTimeout(timer);
      outer.removeEventListener("abort", cancel);
      inner.abort();
    };
  });
  try {
    return await Promise.race([work(inner.signal), ended]);
  } finally {
    stop();
  }
}

/** Resolves after a while, or at once when the signal ends. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
  });
}

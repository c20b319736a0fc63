/** How a state of the gallery is put together. */
import type { ConversationView, Link, PageChip, PanelEvent, TurnView } from "../../bridge/panel-port";
import { conversation, page, ready, turn } from "./fixtures";
import type { MediaMode } from "./media";

/** One state: what a page hears when it connects. */
export interface Scene {
  events: PanelEvent[];
  /** The set-up card was closed before. */
  setupDismissed?: boolean;
  /** There is no earlier conversation. */
  noHistory?: boolean;
  /** How reads of media are answered. */
  media?: MediaMode;
  /** What the browser's storage holds besides. */
  local?: Record<string, unknown>;
  /** What it holds until it is closed. */
  session?: Record<string, unknown>;
  /** What whoever manages the browser has set. */
  managed?: Record<string, unknown>;
}

interface Parts {
  link?: Link;
  page?: PageChip;
  conversation?: ConversationView;
}

/** One that is ready at once, or has files to make first. */
export type MakeScene = () => Scene | Promise<Scene>;

/** The panel with these parts, the usual ones else, and what it hears after. */
export function scene(parts: Parts, more: PanelEvent[] = []): Scene {
  return {
    events: [
      { kind: "link", link: parts.link ?? ready },
      { kind: "page", page: parts.page ?? page },
      { kind: "conversation", conversation: parts.conversation ?? conversation() },
      ...more,
    ],
  };
}

/** A conversation of these turns. */
export function showing(...turns: TurnView[]): Scene {
  return scene({ conversation: conversation({ turns }) });
}

/** A turn that is being answered. */
export const running = (changes: Partial<TurnView>): TurnView =>
  turn({ id: "c-2", prompt: "Why does /api time out?", state: "running", text: "", startedAt: Date.now(), ...changes });

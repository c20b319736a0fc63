/** What a person can do in the panel, as functions that stay the same while nothing they use changes. */
import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import type { PageActions } from "./components/ContextRow";
import type { TurnActions } from "./components/Turn";
import type { PanelApi } from "./context";
import type { Draft } from "./drafts";
import { requestSite } from "./permissions";
import type { PanelCommand } from "./port";
import { initialState, type PanelState, runningTurn } from "./state";

interface Parts {
  api: PanelApi;
  /** The state when an action runs, not when it was made. */
  state: RefObject<PanelState>;
  attached: boolean;
  setDraft: (change: Partial<Draft>) => void;
  openPreview: () => void;
  openSetUp: () => void;
  focus: () => void;
}

/** Asks a question with what is chosen now; false when the text is empty or something is still being answered. */
export function ask(api: PanelApi, state: PanelState, draft: Draft): boolean {
  const text = draft.text.trim();
  if (text === "" || runningTurn(state.conversation) !== null) return false;
  const pinned = draft.attachPage && state.pin !== null ? { previewToken: state.pin.token } : {};
  const { key, mode } = state.conversation;
  if (!sendQuestion(api, { kind: "ask", key, text, mode, attachPage: draft.attachPage, ...pinned }, text)) return false;
  api.dispatch({ kind: "unpinned" });
  return true;
}

/** Sends a command that asks something, and remembers the text until something is heard of it. */
function sendQuestion(api: PanelApi, command: PanelCommand, text: string): boolean {
  if (!api.send(command)) return false;
  api.dispatch({ kind: "sending", text });
  return true;
}

/** The actions on turns. */
export function useTurnActions({ api, state, attached, openSetUp, focus }: Omit<Parts, "setDraft" | "openPreview">) {
  return useMemo<TurnActions>(() => {
    return {
      retry: (turn) => {
        const { conversation } = state.current ?? initialState();
        sendQuestion(api, { kind: "retry", key: conversation.key, turn: turn.id }, turn.prompt);
        focus();
      },
      branch: (turn, text) => {
        const { key, mode } = (state.current ?? initialState()).conversation;
        sendQuestion(api, { kind: "branch", key, turn: turn.id, text, mode, attachPage: attached }, text);
        focus();
      },
      openSetUp,
      jumpToRunning: () => jumpToRunning(state.current),
      focusComposer: focus,
      announce: api.announce,
    };
  }, [api, attached]);
}

/** The actions on the page chip. */
export function usePageActions({ api, state, setDraft, openPreview }: Omit<Parts, "attached" | "openSetUp" | "focus">) {
  return useMemo<PageActions>(
    () => ({
      setAttached: (attachPage) => setDraft({ attachPage }),
      preview: openPreview,
      unpin: () => {
        const token = state.current?.pin?.token;
        if (token !== undefined) api.send({ kind: "unpin", token });
        api.dispatch({ kind: "unpinned" });
      },
      attachCurrentTab: () => {
        const key = state.current?.conversation.key;
        if (key !== undefined) api.send({ kind: "attach-tab", key });
      },
      grant: (origin) => void grant(api, origin),
    }),
    [api],
  );
}

async function grant(api: PanelApi, origin: string): Promise<void> {
  if (await requestSite(origin)) api.send({ kind: "page-granted" });
}

/** Brings the turn that is being answered into view; it is the last one, so the end of the transcript shows it. */
export function jumpToRunning(state: PanelState | null): void {
  const turn = state === null ? null : runningTurn(state.conversation);
  const element = turn === null ? null : document.querySelector(`[data-turn="${CSS.escape(turn.id)}"]`);
  element?.scrollIntoView({ block: "start" });
}

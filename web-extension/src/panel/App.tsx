/** The side panel: header, transcript, page row and composer, and what may lie over them. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CommandId } from "./commands";
import { Announcer } from "./components/Announcer";
import { Cards } from "./components/Cards";
import { Composer } from "./components/Composer";
import { ContextRow } from "./components/ContextRow";
import { Consents } from "./components/consent/Consents";
import { Elsewhere } from "./components/Elsewhere";
import { Header } from "./components/Header";
import { History } from "./components/History";
import { LinkLine } from "./components/LinkLine";
import { Preview } from "./components/Preview";
import { Transcript } from "./components/Transcript";
import { type PanelApi, PanelProvider } from "./context";
import { t } from "./i18n";
import { MediaProvider, useSource } from "./media/source";
import type { Started } from "./start";
import { type PanelState, runningTurn } from "./state";
import { useAnnouncer } from "./use-announcer";
import { useDraft } from "./use-draft";
import { ask, jumpToRunning, usePageActions, useTurnActions } from "./use-panel-actions";

type Over = "nothing" | "history" | "preview" | "find" | "set-up";

/** The panel of one window. */
export function App({ started: { store, client } }: { started: Started }) {
  const [state, setState] = useState(store.state);
  useLayoutEffect(() => {
    store.listen(setState);
    setState(store.state);
  }, [store]);
  const [said, announce] = useAnnouncer(state.ended);
  const api = useMemo<PanelApi>(
    () => ({
      send: (command) => client.send(command),
      request: (request) => client.request(request),
      dispatch: (event) => store.dispatch(event),
      announce,
    }),
    [client, store, announce],
  );
  return (
    <PanelProvider value={api}>
      <Panel state={state} api={api} windowId={client.windowId} />
      <Announcer text={said.text} serial={said.serial} />
    </PanelProvider>
  );
}

function Panel({ state, api, windowId }: { state: PanelState; api: PanelApi; windowId: number }) {
  const { conversation, serial, link } = state;
  const [over, setOver] = useState<Over>("nothing");
  const field = useRef<HTMLTextAreaElement>(null);
  const focus = useCallback(() => field.current?.focus(), []);
  const latest = useRef(state);
  latest.current = state;
  const [draft, setDraft] = useDraft({ serial, conversation: conversation.id, windowId });
  useIncoming(state, api, draft.text, (text) => setDraft({ text }));
  const close = () => {
    setOver("nothing");
    focus();
  };
  const openSetUp = useCallback(() => setOver("set-up"), []);
  const attached = draft.attachPage;
  const turnActions = useTurnActions({ api, state: latest, attached, openSetUp, focus });
  const openPreview = useCallback(() => setOver("preview"), []);
  const pageActions = usePageActions({ api, state: latest, setDraft, openPreview });
  const media = useSource(api, conversation.key, link.state === "ready");
  const running = runningTurn(conversation);
  const stop = () => {
    if (running === null) return;
    if (api.send({ kind: "stop", turn: running.id })) api.dispatch({ kind: "stopping", turn: running.id });
    focus();
  };
  useStopKey(stop);
  useFindKey(() => setOver("find"));
  useLooks(api);
  const send = (text: string) => {
    if (running !== null && text.trim() !== "") api.dispatch({ kind: "busy" });
    else if (ask(api, state, { ...draft, text })) setDraft({ text: "" });
    focus();
  };
  const run = useCommands(api, setOver, () => setDraft({ attachPage: !attached }));
  // A question about an action takes the focus itself.
  const asked = state.consents.cards.length > 0;
  useEffect(() => {
    if (!asked) focus();
  }, [serial, focus]);
  return (
    <div class="panel">
      <header class="top">
        <LinkLine link={link} portLostAt={state.portLostAt} />
        <Header
          title={conversation.title}
          link={link}
          openHistory={() => run("history")}
          openNew={() => run("new")}
          openSetUp={openSetUp}
          menu={[
            { icon: "search", label: t("menuFind"), run: () => run("find") },
            { icon: "eye", label: t("menuPreview"), run: () => run("preview") },
            { icon: "settings", label: t("menuSettings"), run: () => run("settings") },
          ]}
        />
        {conversation.ephemeral && <p class="banner banner-quiet">{t("ephemeral")}</p>}
        <div role="status">{state.elsewhere && <Elsewhere show={() => void api.send({ kind: "show-waiting" })} />}</div>
      </header>
      <MediaProvider value={media}>
        <Transcript state={state} actions={turnActions} finding={over === "find"} closeFind={close}>
          <Consents state={state} focusComposer={focus} />
          <Cards state={state} settingUp={over === "set-up"} closeSetUp={close} ask={send} />
        </Transcript>
      </MediaProvider>
      <ContextRow page={state.page} attached={attached} pin={state.pin} actions={pageActions} />
      <Composer
        field={field}
        text={draft.text}
        setText={(text) => setDraft({ text })}
        mode={conversation.mode}
        setMode={(mode) => api.send({ kind: "set-mode", key: conversation.key, mode })}
        lastPrompt={conversation.turns.at(-1)?.prompt ?? ""}
        running={running !== null && running.stopping !== true}
        notSent={state.notSent}
        send={() => send(draft.text)}
        stop={stop}
        run={run}
        jumpToRunning={() => jumpToRunning(state)}
        closeNotice={() => api.dispatch({ kind: "notice-closed" })}
      />
      {over === "history" && <History current={conversation.id} close={close} />}
      {over === "preview" && <Preview of={conversation.key} close={close} />}
    </div>
  );
}

/** Text from outside goes in front of what is being written, so that neither is lost. */
function useIncoming(state: PanelState, api: PanelApi, typed: string, setText: (text: string) => void): void {
  const { incoming } = state;
  useEffect(() => {
    if (incoming === null) return;
    setText(typed === "" || typed === incoming.text ? incoming.text : `${incoming.text}\n${typed}`);
    api.dispatch({ kind: "incoming-taken" });
  }, [incoming]);
}

/** Esc stops the running turn, unless something nearer (a popup, an editor) took it. */
function useStopKey(stop: () => void): void {
  const latest = useRef(stop);
  latest.current = stop;
  useEffect(() => {
    const life = new AbortController();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing) latest.current();
    };
    document.addEventListener("keydown", onKeyDown, { signal: life.signal });
    return () => life.abort();
  }, []);
}

/** The find key opens our find bar: the browser's cannot see turns that are not in the document. */
function useFindKey(open: () => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const life = new AbortController();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "f" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", onKeyDown, { signal: life.signal });
    return () => life.abort();
  }, []);
}

/** A person who turns to the panel may have selected something on the page before. */
function useLooks(api: PanelApi): void {
  useEffect(() => {
    const life = new AbortController();
    addEventListener("focus", () => api.send({ kind: "look" }), { signal: life.signal });
    return () => life.abort();
  }, [api]);
}

function useCommands(api: PanelApi, setOver: (over: Over) => void, togglePage: () => void) {
  return (command: CommandId): void => {
    switch (command) {
      case "new":
        api.send({ kind: "open", conversation: null });
        return;
      case "page":
        return togglePage();
      case "settings":
        chrome.runtime.openOptionsPage().catch(() => undefined);
        return;
      case "history":
      case "preview":
      case "find":
        return setOver(command);
    }
  };
}

/** The conversation: a log of turns that keeps its place while it grows, at either end. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConversationView } from "../../bridge/panel-port";
import { usePanel } from "../context";
import { t } from "../i18n";
import { EndFollower } from "../scroll";
import { type PanelState, runningTurn } from "../state";
import { useVirtualRows } from "../virtual-rows";
import { Find } from "./Find";
import { LatestButton } from "./LatestButton";
import { Turn, type TurnActions } from "./Turn";

interface Props {
  state: PanelState;
  actions: TurnActions;
  finding: boolean;
  closeFind: () => void;
  /** What stands after the turns: cards about the connection or the model, or the empty state. */
  children: ComponentChildren;
}

/** The scrolling part of the panel. */
export function Transcript({ state, actions, finding, closeFind, children }: Props) {
  const { conversation, serial, pulse } = state;
  const { turns } = conversation;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [atEnd, follower] = useFollower(scroller, content, serial);
  const rows = useVirtualRows(
    scroller,
    turns.map((turn) => turn.id),
  );
  useKeptPlace(scroller, turns[0]?.id);
  const lastId = turns.at(-1)?.id;
  // A question just asked is shown, wherever the person was reading.
  useEffect(() => follower.current?.toEnd(), [lastId, follower]);
  useLayoutEffect(() => follower.current?.stick());
  const busy = runningTurn(conversation) !== null;
  const asking = new Set(state.consents.cards.map((card) => card.turn));
  const jump = (index: number) => rows.scrollToIndex(index);
  return (
    <main class="transcript-frame">
      {finding && <Find turns={turns} jump={jump} close={closeFind} scroller={scroller} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <div class="transcript" ref={scroller} role="log" aria-live="off" aria-label={t("transcript")} tabIndex={0}>
        <div class="transcript-content" ref={content}>
          <OlderButton conversation={conversation} />
          <div class="spacer" style={{ height: `${rows.before}px` }} />
          {rows.indexes.map((index) => {
            const turn = turns[index];
            if (turn === undefined) return null;
            return (
              <article
                key={turn.id}
                ref={rows.measure}
                class="turn"
                data-index={index}
                data-turn={turn.id}
                aria-setsize={turns.length}
                aria-posinset={index + 1}
              >
                <Turn
                  turn={turn}
                  pulse={pulse?.turn === turn.id ? pulse : null}
                  busy={busy}
                  asking={asking.has(turn.id)}
                  actions={actions}
                />
              </article>
            );
          })}
          <div class="spacer" style={{ height: `${rows.after}px` }} />
          {children}
        </div>
      </div>
      {!atEnd && <LatestButton asking={asking.size > 0} onClick={() => follower.current?.toEnd()} />}
    </main>
  );
}

/** Follows the end; another conversation starts at its end again. */
function useFollower(scroller: Element, content: Element, serial: number) {
  const [atEnd, setAtEnd] = useState(true);
  const follower = useRef<EndFollower | null>(null);
  useLayoutEffect(() => {
    if (scroller.current === null || content.current === null) return;
    const life = new AbortController();
    follower.current = new EndFollower(scroller.current, content.current, setAtEnd, life.signal);
    return () => life.abort();
  }, [scroller, content]);
  useLayoutEffect(() => follower.current?.toEnd(), [serial]);
  return [atEnd, follower] as const;
}

type Element = { readonly current: HTMLDivElement | null };

/**
 * Keeps the reading position when older turns appear above. The browser does so by itself, except at the very top,
 * which is exactly where older turns are asked for.
 */
function useKeptPlace(scroller: Element, firstId: string | undefined): void {
  const before = useRef({ firstId, height: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const grown = element.scrollHeight - before.current.height;
    const prepended = before.current.firstId !== undefined && before.current.firstId !== firstId;
    if (prepended && element.scrollTop === 0 && grown > 0) element.scrollTop = grown;
    before.current = { firstId, height: element.scrollHeight };
  });
}

function OlderButton({ conversation }: { conversation: ConversationView }) {
  const { request } = usePanel();
  const [asking, setAsking] = useState(false);
  if (conversation.before === undefined) return null;
  const ask = async () => {
    setAsking(true);
    await request({ kind: "older", key: conversation.key });
    setAsking(false);
  };
  return (
    <button type="button" class="button older" disabled={asking} onClick={() => void ask()}>
      {asking ? t("loading") : t("showOlder")}
    </button>
  );
}

/**
 * Find within the conversation. The browser's own find only sees what is in the document, which in a long
 * conversation is not everything.
 */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TurnView } from "../../bridge/panel-port";
import { markMatches } from "../find-marks";
import { t } from "../i18n";
import { isComposing } from "../keys";
import { IconButton } from "./IconButton";

interface Props {
  turns: readonly TurnView[];
  jump: (index: number) => void;
  close: () => void;
  scroller: RefObject<HTMLElement | null>;
}

/** The find bar. */
export function Find({ turns, jump, close, scroller }: Props) {
  const [query, setQuery] = useState("");
  const [place, setPlace] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const found = useMemo(() => matching(turns, query), [turns, query]);
  const current = found[Math.min(place, found.length - 1)];
  useLayoutEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (current !== undefined) jump(current);
  }, [current]);
  useEffect(() => markMatches(scroller.current, query));
  useEffect(() => () => markMatches(null, ""), []);
  const step = (by: number) => setPlace((at) => (found.length === 0 ? 0 : (at + by + found.length) % found.length));
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") close();
    else if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search class="find" onKeyDown={onKeyDown}>
      <input
        ref={field}
        type="search"
        value={query}
        aria-label={t("findInConversation")}
        placeholder={t("findInConversation")}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setPlace(0);
        }}
      />
      <span class="find-count" role="status">
        {query === "" ? "" : t("findCount", found.length === 0 ? 0 : place + 1, found.length)}
      </span>
      <IconButton icon="down" label={t("findNext")} onClick={() => step(1)} />
      <IconButton icon="close" label={t("close")} onClick={close} />
    </search>
  );
}

/** Indexes of the turns that hold the words. */
function matching(turns: readonly TurnView[], query: string): number[] {
  const words = query.trim().toLowerCase();
  if (words === "") return [];
  const holds = (turn: TurnView) =>
    turn.prompt.toLowerCase().includes(words) || turn.text.toLowerCase().includes(words);
  return turns.flatMap((turn, index) => (holds(turn) ? [index] : []));
}

/** The list behind the history sheet: pages of conversations and what can be done with one. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ConversationItem } from "../contract/types";
import { usePanel } from "./context";
import { t } from "./i18n";
import { type Answer, bodyOf } from "./port";
import { refusalText } from "./refusals";

const SEARCH_AFTER_MS = 200;

/** The list and its actions. */
export interface Conversations {
  items: ConversationItem[];
  loaded: boolean;
  problem: string;
  /** The conversation deleted last, while it can come back. */
  removed: ConversationItem | null;
  /** Loads the next page; null at the end. */
  more: (() => void) | null;
  rename: (item: ConversationItem, title: string) => Promise<void>;
  remove: (item: ConversationItem) => Promise<void>;
  restore: () => Promise<void>;
  forget: () => void;
}

interface Loaded {
  items: ConversationItem[];
  cursor: string | null;
  loaded: boolean;
}

/** The conversations that fit a query; all of them when it is empty. */
export function useConversations(query: string): Conversations {
  const { request, announce } = usePanel();
  const [list, setList] = useState<Loaded>({ items: [], cursor: null, loaded: false });
  const [problem, setProblem] = useState("");
  const [removed, setRemoved] = useState<ConversationItem | null>(null);
  const latest = useRef(query);
  latest.current = query;
  const load = useCallback(
    async (cursor: string | null) => {
      const page = cursor === null ? {} : { cursor };
      const answer = await request(query === "" ? { kind: "list", ...page } : { kind: "search", query, ...page });
      // A newer query is under way; its answer counts.
      if (latest.current !== query) return;
      setProblem(answer.ok ? "" : refusalText(answer));
      const body = bodyOf(answer, "conversations");
      if (body === null) return;
      const join = (before: Loaded) => (cursor === null ? body.items : merged(before.items, body.items));
      setList((before) => ({ items: join(before), cursor: body.cursor ?? null, loaded: true }));
    },
    [query, request],
  );
  useEffect(() => {
    const timer = setTimeout(() => void load(null), query === "" ? 0 : SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [load, query]);
  const settle = (answer: Answer, change: () => void) => {
    setProblem(answer.ok ? "" : refusalText(answer));
    if (answer.ok) change();
  };
  const setItems = (change: (items: ConversationItem[]) => ConversationItem[]) =>
    setList((before) => ({ ...before, items: change(before.items) }));
  const { cursor } = list;
  return {
    items: list.items,
    loaded: list.loaded,
    problem,
    removed,
    more: cursor === null ? null : () => void load(cursor),
    forget: useCallback(() => setRemoved(null), []),
    async rename(item, title) {
      const answer = await request({ kind: "rename", conversation: item.id, title });
      settle(answer, () => setItems((items) => items.map((one) => (one.id === item.id ? { ...one, title } : one))));
    },
    async remove(item) {
      settle(await request({ kind: "delete", conversation: item.id }), () => {
        setItems((items) => items.filter((one) => one.id !== item.id));
        setRemoved(item);
        announce(t("historyDeleted"));
      });
    },
    async restore() {
      if (removed === null) return;
      settle(await request({ kind: "restore", conversation: removed.id }), () => {
        setItems((items) => [...items, removed].toSorted((a, b) => b.updatedAt - a.updatedAt));
        setRemoved(null);
      });
    },
  };
}

/** A conversation that moved between two pages appears once. */
function merged(before: ConversationItem[], page: ConversationItem[]): ConversationItem[] {
  const known = new Set(before.map((item) => item.id));
  return [...before, ...page.filter((item) => !known.has(item.id))];
}

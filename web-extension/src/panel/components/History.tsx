/** Earlier conversations: searched, grouped by day, opened, renamed, and deleted with a way back. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConversationItem } from "../../contract/types";
import { usePanel } from "../context";
import { formatDay } from "../format";
import { t } from "../i18n";
import { useConversations } from "../use-conversations";
import { HistoryRow } from "./HistoryRow";
import { Icon } from "./Icon";
import { Sheet } from "./Sheet";

const UNDO_MS = 8000;

/** The history sheet. */
export function History({ current, close }: { current: string | undefined; close: () => void }) {
  const { send } = usePanel();
  const [query, setQuery] = useState("");
  const list = useConversations(query.trim());
  const open = (item: ConversationItem) => {
    send({ kind: "open", conversation: item.id });
    close();
  };
  return (
    <Sheet title={t("history")} close={close}>
      <SearchField query={query} set={setQuery} />
      <div class="sheet-body">
        {list.problem !== "" && (
          <p class="field-error" role="alert">
            {list.problem}
          </p>
        )}
        {list.loaded && list.items.length === 0 && (
          <p class="sheet-empty">{query === "" ? t("historyEmpty") : t("historyNothingFound")}</p>
        )}
        {groupsOf(list.items).map(([day, items]) => (
          <section key={day} class="history-day">
            <h3>{day}</h3>
            <ul>
              {items.map((item) => (
                <HistoryRow
                  key={item.id}
                  item={item}
                  current={item.id === current}
                  open={() => open(item)}
                  rename={(title) => void list.rename(item, title)}
                  remove={() => void list.remove(item)}
                />
              ))}
            </ul>
          </section>
        ))}
        {list.more !== null && (
          <button type="button" class="button older" onClick={list.more}>
            {t("historyMore")}
          </button>
        )}
      </div>
      {list.removed !== null && <Undo item={list.removed} undo={() => void list.restore()} forget={list.forget} />}
    </Sheet>
  );
}

function SearchField({ query, set }: { query: string; set: (query: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <div class="search-field">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        maxLength={256}
        value={query}
        placeholder={t("historySearch")}
        aria-label={t("historySearch")}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </div>
  );
}

function Undo({ item, undo, forget }: { item: ConversationItem; undo: () => void; forget: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => button.current?.focus(), [item]);
  useEffect(() => {
    const timer = setTimeout(forget, UNDO_MS);
    return () => clearTimeout(timer);
  }, [item, forget]);
  return (
    <div class="toast" role="status">
      <span>{t("historyDeleted")}</span>
      <button type="button" class="link-button" ref={button} onClick={undo}>
        {t("undo")}
      </button>
    </div>
  );
}

/** Conversations come newest first; neighbours of one day share a heading. */
function groupsOf(items: ConversationItem[]): [string, ConversationItem[]][] {
  const now = Date.now();
  const groups = new Map<string, ConversationItem[]>();
  for (const item of items) {
    const day = formatDay(item.updatedAt, now);
    groups.set(day, [...(groups.get(day) ?? []), item]);
  }
  return [...groups];
}

/** One conversation in the history. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConversationItem } from "../../contract/types";
import { formatTime } from "../format";
import { t } from "../i18n";
import { isComposing } from "../keys";
import { visibleText } from "../visible-text";
import { Icon } from "./Icon";
import { IconButton } from "./IconButton";

interface Props {
  item: ConversationItem;
  current: boolean;
  open: () => void;
  rename: (title: string) => void;
  remove: () => void;
}

/** A row to open, rename or delete a conversation. */
export function HistoryRow({ item, current, open, rename, remove }: Props) {
  const [renaming, setRenaming] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const renamed = useRef(false);
  useLayoutEffect(() => {
    if (!renaming && renamed.current) opener.current?.focus();
    renamed.current = renaming;
  }, [renaming]);
  const title = visibleText(item.title);
  if (renaming) {
    const save = (next: string) => {
      setRenaming(false);
      if (next !== "" && next !== item.title) rename(next);
    };
    return (
      <li class="history-row">
        <RenameField title={item.title} save={save} cancel={() => setRenaming(false)} />
      </li>
    );
  }
  return (
    <li class={current ? "history-row current" : "history-row"}>
      <button
        type="button"
        class="history-open"
        ref={opener}
        aria-current={current}
        onClick={open}
        onKeyDown={moveAmongRows}
      >
        <span class="history-title">
          {item.branchOf !== undefined && <Icon name="again" />}
          <bdi>{title}</bdi>
        </span>
        <span class="history-meta">
          {item.running && <span class="history-running">{t("historyRunning")}</span>}
          {item.host !== undefined && <bdi class="history-host">{visibleText(item.host)}</bdi>}
          <span>{formatTime(item.updatedAt)}</span>
        </span>
      </button>
      <span class="row-actions">
        <IconButton icon="edit" label={t("renameOf", title)} onClick={() => setRenaming(true)} />
        <IconButton icon="trash" label={t("deleteOf", title)} onClick={remove} />
      </span>
    </li>
  );
}

/** Up and down move between the conversations of the whole list. */
function moveAmongRows(event: KeyboardEvent): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0 || !(event.currentTarget instanceof HTMLElement)) return;
  const rows = [...(event.currentTarget.closest(".sheet-body")?.querySelectorAll<HTMLElement>(".history-open") ?? [])];
  event.preventDefault();
  rows[rows.indexOf(event.currentTarget) + by]?.focus();
}

interface RenameProps {
  title: string;
  save: (title: string) => void;
  cancel: () => void;
}

function RenameField({ title, save, cancel }: RenameProps) {
  const field = useRef<HTMLInputElement>(null);
  /** Leaving the field saves, but not after Enter or Escape decided already. */
  const decided = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const decide = (keep: boolean) => {
    if (decided.current) return;
    decided.current = true;
    if (keep) save(field.current?.value.trim() ?? "");
    else cancel();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation();
    decide(event.key === "Enter");
  };
  return (
    <input
      ref={field}
      class="rename"
      type="text"
      maxLength={200}
      defaultValue={title}
      aria-label={t("renameField")}
      onKeyDown={onKeyDown}
      onBlur={() => decide(true)}
    />
  );
}

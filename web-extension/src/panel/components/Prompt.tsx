/** What the person asked, with the page it was about; it can be edited and asked again. */
import { useState } from "preact/hooks";
import type { TurnView } from "../../bridge/panel-port";
import { t } from "../i18n";
import { isComposing } from "../keys";
import { safeLink } from "../markdown/sanitise";
import { visibleText } from "../visible-text";
import { CopyButton } from "./CopyButton";
import { GrowingText } from "./GrowingText";
import { Icon } from "./Icon";
import { IconButton } from "./IconButton";

interface Props {
  turn: TurnView;
  /** Opens the editor; null while nothing can be asked. */
  edit: (() => void) | null;
}

/** The prompt of a turn. */
export function Prompt({ turn, edit }: Props) {
  return (
    <div class="prompt">
      <h2 class="visually-hidden">{t("youAsked")}</h2>
      <div class="prompt-bubble" dir="auto">
        {visibleText(turn.prompt)}
      </div>
      <div class="prompt-foot">
        {turn.pending === true && <span class="muted">{t("promptPending")}</span>}
        {turn.page !== undefined && <PromptPage title={turn.page.title} url={turn.page.url} />}
        <span class="row-actions">
          <CopyButton text={turn.prompt} label={t("copyPrompt")} />
          {edit !== null && <IconButton icon="edit" label={t("editPrompt")} onClick={edit} />}
        </span>
      </div>
    </div>
  );
}

function PromptPage({ title, url }: { title: string; url: string }) {
  const host = safeLink(url)?.host ?? "";
  return (
    <span class="prompt-page" title={host}>
      <Icon name="page" />
      <bdi>{visibleText(title) || host}</bdi>
    </span>
  );
}

interface EditorProps {
  text: string;
  askAgain: (text: string) => void;
  cancel: () => void;
}

/** The prompt of a turn as a text field. */
export function PromptEditor({ text, askAgain, cancel }: EditorProps) {
  const [draft, setDraft] = useState(text);
  const ready = draft.trim() !== "";
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") cancel();
    else if (event.key === "Enter" && !event.shiftKey && ready) askAgain(draft.trim());
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="prompt prompt-editor">
      <h2 class="visually-hidden">{t("editPrompt")}</h2>
      <GrowingText value={draft} label={t("editPrompt")} onInput={setDraft} onKeyDown={onKeyDown} autoFocus />
      <p class="hint">{t("editPromptHint")}</p>
      <div class="button-row">
        <button type="button" class="button" onClick={cancel}>
          {t("cancel")}
        </button>
        <button type="button" class="button primary" disabled={!ready} onClick={() => askAgain(draft.trim())}>
          {t("askAgain")}
        </button>
      </div>
    </div>
  );
}

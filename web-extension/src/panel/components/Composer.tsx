/** Where a person writes: text, mode, and send or stop in the same place. */
import type { RefObject } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { Mode } from "../../contract/types";
import { type Command, type CommandId, commandsFor } from "../commands";
import { type MessageKey, t } from "../i18n";
import { isComposing } from "../keys";
import type { PanelState } from "../state";
import { CommandList, optionId } from "./CommandList";
import { GrowingText } from "./GrowingText";
import { Icon } from "./Icon";
import { IconButton } from "./IconButton";
import { ModePicker } from "./ModePicker";

interface Props {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  setText: (text: string) => void;
  mode: Mode;
  setMode: (mode: Mode) => void;
  /** The prompt that ↑ brings back. */
  lastPrompt: string;
  running: boolean;
  notSent: PanelState["notSent"];
  send: () => void;
  stop: () => void;
  run: (command: CommandId) => void;
  jumpToRunning: () => void;
  closeNotice: () => void;
}

/** The composer. */
export function Composer(props: Props) {
  const { field, text, setText, running } = props;
  const listId = useId();
  const [active, setActive] = useState(0);
  const [dismissed, setDismissed] = useState("");
  const commands = dismissed === text ? [] : commandsFor(text);
  useEffect(() => setActive(0), [text]);
  const choose = (command: Command) => {
    setText("");
    props.run(command.id);
  };
  const commandKey = (event: KeyboardEvent): boolean => {
    const command = commands[active];
    if (command === undefined) return false;
    if (event.key === "ArrowDown") setActive((active + 1) % commands.length);
    else if (event.key === "ArrowUp") setActive((active + commands.length - 1) % commands.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(command);
    else if (event.key === "Escape") setDismissed(text);
    else return false;
    return true;
  };
  const textKey = (event: KeyboardEvent): boolean => {
    if (event.key === "Enter" && !event.shiftKey) props.send();
    else if (event.key === "ArrowUp" && text === "" && props.lastPrompt !== "") setText(props.lastPrompt);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (commandKey(event) || textKey(event)) event.preventDefault();
  };
  const option = commands[active];
  return (
    <section class="composer" aria-label={t("composerLabel")}>
      <NotSent reason={props.notSent} jump={props.jumpToRunning} close={props.closeNotice} />
      {commands.length > 0 && <CommandList id={listId} commands={commands} active={active} choose={choose} />}
      <GrowingText
        field={field}
        value={text}
        label={t("composerLabel")}
        placeholder={t("composerPlaceholder")}
        onInput={setText}
        onKeyDown={onKeyDown}
        more={{
          "aria-autocomplete": "list",
          ...(option === undefined
            ? {}
            : { "aria-controls": listId, "aria-activedescendant": optionId(listId, option) }),
        }}
      />
      <div class="composer-foot">
        <ModePicker mode={props.mode} choose={props.setMode} />
        <span class="hint composer-hint">{running ? t("composerHintRunning") : t("composerHint")}</span>
        {running ? <StopButton stop={props.stop} /> : <SendButton ready={text.trim() !== ""} send={props.send} />}
      </div>
    </section>
  );
}

function SendButton({ ready, send }: { ready: boolean; send: () => void }) {
  return (
    <button type="button" class="send" title={t("send")} aria-label={t("send")} disabled={!ready} onClick={send}>
      <Icon name="send" />
    </button>
  );
}

function StopButton({ stop }: { stop: () => void }) {
  return (
    <button type="button" class="send send-stop" title={t("stop")} aria-label={t("stop")} onClick={stop}>
      <Icon name="stop" />
    </button>
  );
}

const NOT_SENT: Partial<Record<NonNullable<PanelState["notSent"]>, MessageKey>> = {
  "page-changed": "notSentPageChanged",
  "too-long": "notSentTooLong",
  "session-busy": "notSentBusy",
  "no-worker": "notSentNoWorker",
  "bridge-disconnected": "notSentDisconnected",
  "bridge-unresponsive": "notSentUnresponsive",
};

interface NotSentProps {
  reason: PanelState["notSent"];
  jump: () => void;
  close: () => void;
}

function NotSent({ reason, jump, close }: NotSentProps) {
  if (reason === null) return null;
  return (
    <div class="banner banner-warning" role="status">
      <span>{t(NOT_SENT[reason] ?? "notSentOther")}</span>
      {reason === "session-busy" && (
        <button type="button" class="link-button" onClick={jump}>
          {t("jumpToRunning")}
        </button>
      )}
      <IconButton icon="close" label={t("close")} onClick={close} />
    </div>
  );
}

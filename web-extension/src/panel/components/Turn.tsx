/** One question and everything that came of it. */
import { Component } from "preact";
import type { TurnView } from "../../bridge/panel-port";
import type { NoticeCode } from "../../contract/types";
import { type MessageKey, t } from "../i18n";
import { type Row, rowsOf } from "../rows";
import type { Pulse } from "../state";
import { AnswerActions } from "./AnswerActions";
import { ErrorCard, type FailureReason, type Recovery } from "./ErrorCard";
import { Markdown } from "./Markdown";
import { MediaRow } from "./media/MediaRow";
import { Prompt, PromptEditor } from "./Prompt";
import { Sources } from "./Sources";
import { ToolRow } from "./ToolRow";
import { Waiting } from "./Waiting";

/** What a person can do with a turn. */
export interface TurnActions {
  retry: (turn: TurnView) => void;
  /** Asks another text, or the same, from where this turn began. */
  branch: (turn: TurnView, text: string) => void;
  openSetUp: () => void;
  jumpToRunning: () => void;
  focusComposer: () => void;
  announce: (text: string) => void;
}

interface Props {
  turn: TurnView;
  pulse: Pulse | null;
  /** Something is being answered, so nothing new can be asked. */
  busy: boolean;
  /** It waits for the person's answer. */
  asking: boolean;
  actions: TurnActions;
}

const NOTICES: Record<NoticeCode, MessageKey> = {
  "history-trimmed": "noticeHistoryTrimmed",
  "page-trimmed": "noticePageTrimmed",
  "answer-clipped": "noticeAnswerClipped",
  "step-limit": "noticeStepLimit",
  withheld: "noticeWithheld",
  compacted: "noticeCompacted",
  retrying: "noticeRetrying",
};

interface State {
  editing: boolean;
}

/** A turn; it is drawn again only when something of it changed. */
export class Turn extends Component<Props, State> {
  override state: State = { editing: false };

  override shouldComponentUpdate(next: Props, state: State): boolean {
    const { turn, pulse, busy, asking, actions } = this.props;
    const same = next.turn === turn && next.pulse === pulse && next.busy === busy && next.actions === actions;
    return !same || next.asking !== asking || state.editing !== this.state.editing;
  }

  render() {
    return rowsOf(this.props.turn).map((row) => <div key={keyOf(row)}>{this.#row(row)}</div>);
  }

  #row(row: Row) {
    const { turn, pulse, busy, asking, actions } = this.props;
    switch (row.kind) {
      case "prompt":
        return this.#prompt();
      case "tool":
        return <ToolRow tool={row.tool} live={row.live} />;
      case "media":
        return <MediaRow media={row.media} />;
      case "answer":
        return <Markdown text={row.text} complete={!row.running} announce={actions.announce} />;
      case "waiting":
        return <Waiting turn={turn} pulse={pulse} asking={asking} />;
      case "notice":
        return <p class="notice">{t(NOTICES[row.code])}</p>;
      case "stopped":
        return <p class="notice">{t("stopped")}</p>;
      case "error":
        return this.#failure(row.reason);
      case "sources":
        return <Sources references={row.references} />;
      case "actions":
        return <AnswerActions turn={turn} regenerate={busy ? null : () => actions.branch(turn, turn.prompt)} />;
    }
  }

  #failure(reason: FailureReason) {
    const { turn, busy } = this.props;
    const again = turn.resending === true ? { at: turn.retryAt } : null;
    const recover = (how: Recovery) => this.#recover(how);
    return <ErrorCard reason={reason} partial={turn.text !== ""} busy={busy} again={again} recover={recover} />;
  }

  #prompt() {
    const { turn, busy, actions } = this.props;
    const setEditing = (editing: boolean) => this.setState({ editing });
    const askAgain = (text: string) => {
      setEditing(false);
      actions.branch(turn, text);
    };
    if (!this.state.editing || busy) return <Prompt turn={turn} edit={busy ? null : () => setEditing(true)} />;
    const cancel = () => {
      setEditing(false);
      actions.focusComposer();
    };
    return <PromptEditor text={turn.prompt} askAgain={askAgain} cancel={cancel} />;
  }

  #recover(how: Recovery): void {
    const { turn, actions } = this.props;
    switch (how) {
      case "retry":
        return actions.retry(turn);
      case "set-up":
        return actions.openSetUp();
      case "edit":
        return this.setState({ editing: true });
      case "jump":
        return actions.jumpToRunning();
    }
  }
}

/** Keys that stay with a row while others come and go around it. */
function keyOf(row: Row): string {
  switch (row.kind) {
    case "tool":
      return `tool:${row.tool.callId}`;
    case "media":
      return `media:${row.media.id}`;
    case "notice":
      return `notice:${row.code}`;
    default:
      return row.kind;
  }
}

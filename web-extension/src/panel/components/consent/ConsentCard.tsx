/**
 * One action and the answers to it. The safe answer has the focus, nothing can be pressed in the moment the card
 * appears, and every text of the page stands alone, on one line, so that it cannot change what the sentence says.
 */
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConsentCard as Card, ConsentAnswer } from "../../../bridge/panel-port";
import { usePanel } from "../../context";
import { useNow } from "../../hooks";
import { type MessageKey, t } from "../../i18n";
import { isComposing } from "../../keys";
import { Icon, type IconName } from "../Icon";
import { ConsentText, consentSentence } from "./ConsentText";

/** A press that was meant for something else lands within this time. */
const INERT_MS = 500;

/** The countdown is shown when so little is left. */
const COUNTDOWN_MS = 30_000;

const ICONS: Record<Card["action"], IconName> = {
  click: "pointer",
  type: "keyboard",
  choose: "list",
  press: "keyboard",
  scroll: "scroll",
  navigate: "go",
};

/** In the order they are offered. */
const ANSWERS: readonly { answer: ConsentAnswer; label: MessageKey }[] = [
  { answer: "once", label: "consentOnce" },
  { answer: "conversation", label: "consentConversation" },
  { answer: "always", label: "consentAlways" },
  { answer: "deny", label: "consentDeny" },
];

interface Props {
  card: Card;
  /** How many actions wait, this one among them. */
  waiting: number;
  answer: (answer: ConsentAnswer) => void;
  isTyping: () => boolean;
  focusComposer: () => void;
}

/** The card. */
export function ConsentCard({ card, waiting, answer, isTyping, focusComposer }: Props) {
  const heading = useId();
  const sentence = useId();
  const { announce } = usePanel();
  const root = useRef<HTMLDivElement>(null);
  const armed = useArmed();
  useLayoutEffect(() => {
    const element = root.current;
    if (!isTyping()) element?.querySelector<HTMLElement>("[data-answer=deny]")?.focus();
    // A sheet over the panel keeps the focus too.
    if (!element?.contains(document.activeElement)) announce(consentSentence(card));
    return () => {
      if (element?.contains(document.activeElement)) focusComposer();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || isComposing(event)) return;
    event.preventDefault();
    event.stopPropagation();
    answer("deny");
  };
  // A card without a way out would be a trap: declining is always there.
  const choices = ANSWERS.filter((choice) => choice.answer === "deny" || card.choices.includes(choice.answer));
  return (
    // A dialog that does not lock the panel: a reader says the question before the answer that has the focus.
    <div
      class="card consent"
      role="alertdialog"
      ref={root}
      aria-labelledby={heading}
      aria-describedby={sentence}
      data-consent={card.id}
      onKeyDown={onKeyDown}
    >
      <header class="consent-head">
        <Icon name={ICONS[card.action]} />
        <h2 id={heading}>{t("consentTitle")}</h2>
        {waiting > 1 && <span class="consent-count">{t("consentCount", 1, waiting)}</span>}
      </header>
      <div id={sentence} class="consent-body">
        <ConsentText card={card} />
      </div>
      <div class="consent-answers">
        {choices.map((choice) => (
          <button
            key={choice.answer}
            type="button"
            class={choice.answer === "once" ? "button primary" : "button"}
            data-answer={choice.answer}
            aria-disabled={!armed}
            onClick={() => armed && answer(choice.answer)}
          >
            {t(choice.label)}
          </button>
        ))}
      </div>
      {card.expiresAt !== undefined && <Countdown until={card.expiresAt} />}
    </div>
  );
}

/** False for a moment after the card became visible. */
function useArmed(): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    const life = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const arm = () => {
      clearTimeout(timer);
      setArmed(false);
      if (document.visibilityState === "visible") timer = setTimeout(() => setArmed(true), INERT_MS);
    };
    document.addEventListener("visibilitychange", arm, { signal: life.signal });
    arm();
    return () => {
      clearTimeout(timer);
      life.abort();
    };
  }, []);
  return armed;
}

function Countdown({ until }: { until: number }) {
  const now = useNow(true, 1000);
  const left = until - now;
  if (left > COUNTDOWN_MS) return null;
  return <p class="hint consent-countdown">{t("consentCountdown", Math.max(0, Math.ceil(left / 1000)))}</p>;
}

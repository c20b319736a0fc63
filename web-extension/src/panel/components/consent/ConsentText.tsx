/** What a consent card says. Texts of the page or the model are text only, clipped, on one line and isolated. */
import type { ConsentCard as Card } from "../../../bridge/panel-port";
import { counted, type MessageKey, t } from "../../i18n";
import { markedLines, plainLine } from "../../plain-line";
import { Rich } from "../Rich";

const LONGEST_TARGET = 80;
const LONGEST_ADDRESS = 200;
const LONGEST_VALUE = 1200;

/** One sentence of the catalogue and what its placeholders stand for; the last of them is always the site. */
interface Sentence {
  message: MessageKey;
  parts: readonly string[];
}

/** The sentence as text, for the announcement. */
export function consentSentence(card: Card): string {
  const { message, parts } = sentenceOf(card);
  return t("consentAnnounce", t(message, ...parts));
}

/** The sentence, what would be typed, and what is special about it. */
export function ConsentText({ card }: { card: Card }) {
  const { message, parts } = sentenceOf(card);
  return (
    <>
      <p class="consent-sentence">
        <Rich
          message={message}
          parts={parts.map((part, index) => (
            <bdi class={index === parts.length - 1 ? "consent-site" : "consent-part"}>{part}</bdi>
          ))}
        />
      </p>
      {card.secret === true ? <p class="hint">{t("consentSecret")}</p> : <Value card={card} />}
      {card.secret !== true && isLimited(card) && <p class="hint">{t("consentLimited")}</p>}
    </>
  );
}

/** Nothing but this one time is offered. */
function isLimited({ choices }: Card): boolean {
  return !choices.includes("conversation") && !choices.includes("always");
}

function Value({ card: { action, value } }: { card: Card }) {
  if (action !== "type" || value === undefined) return null;
  if (value === "") return <p class="hint">{t("consentEmptyValue")}</p>;
  const rest = [...value].length - LONGEST_VALUE;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text has to be reachable by keyboard */}
      <section class="consent-value" aria-label={t("consentValue")} tabIndex={0}>
        <bdi>{markedLines(value, LONGEST_VALUE)}</bdi>
      </section>
      {rest > 0 && <p class="hint">{counted("consentMore", rest)}</p>}
    </>
  );
}

function sentenceOf(card: Card): Sentence {
  const site = plainLine(card.site, Number.POSITIVE_INFINITY);
  const target = plainLine(card.target ?? "", LONGEST_TARGET);
  const value = plainLine(card.value ?? "", LONGEST_TARGET);
  const named = target !== "";
  switch (card.action) {
    case "click":
      return named
        ? { message: "consentClick", parts: [target, site] }
        : { message: "consentClickUnnamed", parts: [site] };
    case "type":
      return typing(card.secret === true, named, target, site);
    case "choose":
      return named
        ? { message: "consentChoose", parts: [value, target, site] }
        : { message: "consentChooseUnnamed", parts: [value, site] };
    case "press":
      return named
        ? { message: "consentPress", parts: [value, target, site] }
        : { message: "consentPressUnnamed", parts: [value, site] };
    case "scroll":
      return named
        ? { message: "consentScroll", parts: [target, site] }
        : { message: "consentScrollPage", parts: [site] };
    case "navigate":
      return { message: "consentNavigate", parts: [plainLine(addressOf(card), LONGEST_ADDRESS), site] };
  }
}

/** The path is enough where the site is named beside it; anything out of the ordinary is shown whole. */
function addressOf({ target = "", site }: Card): string {
  const url = URL.parse(target);
  const ordinary = url?.protocol === "https:" && url.host === site && url.username === "" && url.password === "";
  return ordinary ? `${url.pathname}${url.search}${url.hash}` : target;
}

function typing(secret: boolean, named: boolean, target: string, site: string): Sentence {
  if (secret)
    return named
      ? { message: "consentTypeSecret", parts: [target, site] }
      : { message: "consentTypeSecretUnnamed", parts: [site] };
  return named ? { message: "consentType", parts: [target, site] } : { message: "consentTypeUnnamed", parts: [site] };
}

/** What a consent card says. Texts of the page or the model are text only, on one line and isolated; what is cut says so. */
import type { ConsentCard as Card } from "../../../bridge/panel-port";
import { counted, type MessageKey, t } from "../../i18n";
import { markedLines, plainLine } from "../../plain-line";
import { Rich } from "../Rich";

const LONGEST_TARGET = 80;
const LONGEST_ADDRESS = 120;
const LONGEST_CONTEXT = 240;
/** Of a text that is longer than this not everything is in view. */
const IN_VIEW = 240;

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
      <Place card={card} />
      {card.secret === true ? <p class="hint">{t("consentSecret")}</p> : <Whole card={card} />}
      {card.secret !== true && isLimited(card) && <p class="hint">{t("consentLimited")}</p>}
    </>
  );
}

/** What tells the target from others of the same name: what it is, what it is in, and whose page is around it. */
function Place({ card: { target = "", role = "", context = "", page } }: { card: Card }) {
  const place = [target === "" ? role : "", context].filter((part) => part !== "").join(" · ");
  return (
    <>
      {place !== "" && (
        <p class="consent-place">
          <bdi>{plainLine(place, LONGEST_CONTEXT)}</bdi>
        </p>
      )}
      {page !== undefined && (
        <p class="hint">
          <Rich message="consentInPage" parts={[<bdi class="consent-site">{plainLine(page, Infinity)}</bdi>]} />
        </p>
      )}
    </>
  );
}

/** Nothing but this one time is offered. */
function isLimited({ choices }: Card): boolean {
  return !choices.includes("conversation") && !choices.includes("always");
}

/** All of what the sentence leaves out, to be scrolled through. */
function Whole({ card }: { card: Card }) {
  if (card.action === "type" && card.value === "") return <p class="hint">{t("consentEmptyValue")}</p>;
  const whole = wholeOf(card);
  if (whole === undefined) return null;
  const length = [...whole].length;
  return (
    <>
      <section
        class="consent-value"
        aria-label={t(card.action === "type" ? "consentValue" : "consentWhole")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text has to be reachable by keyboard
        tabIndex={0}
      >
        <bdi>{markedLines(whole, Number.POSITIVE_INFINITY)}</bdi>
      </section>
      {length > IN_VIEW && <p class="hint">{counted("consentLength", length)}</p>}
    </>
  );
}

function wholeOf(card: Card): string | undefined {
  const { action, target = "", value } = card;
  if (action === "type") return value;
  if (action === "navigate") return isCut(addressOf(card), LONGEST_ADDRESS) ? target : undefined;
  if (value !== undefined && isCut(value, LONGEST_TARGET)) return value;
  return isCut(target, LONGEST_TARGET) ? target : undefined;
}

function isCut(text: string, max: number): boolean {
  return [...text].length > max;
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

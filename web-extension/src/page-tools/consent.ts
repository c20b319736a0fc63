/**
 * The questions to the person about actions: asked in the panels that show the conversation, answered there and nowhere
 * else, and never open for long (decision 28).
 *
 * A card is built from what the page's frame says of the target, never from the model's words alone. What a person
 * answered is kept by `grants-store.ts`; what the answer lets happen is `guard.ts`'s business.
 */
import type { ActionKind, ConsentAnswer, ConsentCard } from "../bridge/panel-port";
import { inIncognito } from "../shared/platform";
import { clip } from "../shared/text";
import { ToolError } from "./errors";
import { grantAlways, grantInConversation, isGranted } from "./grants-store";
import type { Policy } from "./policy";
import type { Aim } from "./tool";

/** Unanswered for so long counts as "don't". */
const ANSWER_MS = 120_000;
/** While a card is open the worker hears of it this often, so that its deadline does not run out. */
const UPDATE_MS = 30_000;
/** More open cards than this come from a fault, not from a need. */
const CARDS_MAX = 16;
/** After so many refusals in one turn the person is left in peace. */
const DENIALS_MAX = 3;
const TARGET_MAX = 200;
const VALUE_MAX = 4_000;

/** Who can see cards. */
export interface ConsentDesk {
  /** A panel shows the conversation, or would when its tab is brought to the front. */
  reachable(conversation: string, windowId: number): boolean;
  /** The open cards of a conversation changed. */
  changed(conversation: string, cards: ConsentCard[]): void;
}

/** An action that wants to happen. */
export interface Wish {
  conversation: string;
  turn: string;
  windowId: number;
  action: ActionKind;
  aim: Aim;
}

/** What goes on while a person is asked. */
export interface Waiting {
  signal: AbortSignal;
  /** The card is open, and still open; called at once and then every 30 s. */
  still(): void;
}

interface Open {
  wish: Wish;
  card: ConsentCard;
  settle(answer: ConsentAnswer | ToolError): void;
}

/** All open questions. */
export class Consents {
  readonly #desk: ConsentDesk;
  readonly #open = new Map<string, Open>();
  readonly #denials = new Map<string, number>();

  constructor(desk: ConsentDesk) {
    this.#desk = desk;
  }

  /** Returns when the action is allowed; fails as `consent-denied`, `consent-unavailable` or `cancelled`. */
  async demand(wish: Wish, policy: Policy, waiting: Waiting): Promise<void> {
    const { conversation, turn, action, aim } = wish;
    const eachTime = policy.confirmBeforeMutating || aim.secret || aim.origin === "null";
    if (!eachTime && (await isGranted(conversation, aim.origin, action))) return;
    if (waiting.signal.aborted) throw new ToolError("cancelled");
    const denials = this.#denials.get(turn) ?? 0;
    if (denials >= DENIALS_MAX) throw new ToolError("consent-denied");
    if (!this.#desk.reachable(conversation, wish.windowId)) throw new ToolError("consent-unavailable");
    if (this.#open.size >= CARDS_MAX) throw new ToolError("busy");
    const answer = await this.#ask(wish, choicesOf(eachTime), waiting);
    if (answer === "deny") {
      this.#denials.set(turn, (this.#denials.get(turn) ?? 0) + 1);
      throw new ToolError("consent-denied");
    }
    await this.#keep(wish, answer);
  }

  /** The person answered in a panel that shows `conversation`; anything that fits no open card is ignored. */
  answer(conversation: string, id: string, answer: ConsentAnswer): void {
    const open = this.#open.get(id);
    if (open?.wish.conversation !== conversation || !open.card.choices.includes(answer)) return;
    open.settle(answer);
  }

  /** The open cards of a conversation, oldest first. */
  cards(conversation: string): ConsentCard[] {
    return [...this.#open.values()].filter(({ wish }) => wish.conversation === conversation).map(({ card }) => card);
  }

  /** A panel was closed: what nobody can see any more fails at once. */
  panelLeft(): void {
    for (const { wish, settle } of [...this.#open.values()]) {
      if (!this.#desk.reachable(wish.conversation, wish.windowId)) settle(new ToolError("consent-unavailable"));
    }
  }

  /** The turn is over; the next one of the same name would be asked anew. */
  turnEnded(turn: string): void {
    this.#denials.delete(turn);
  }

  async #ask(wish: Wish, choices: ConsentAnswer[], { signal, still }: Waiting): Promise<ConsentAnswer> {
    const id = crypto.randomUUID();
    const updates = setInterval(still, UPDATE_MS);
    let expiry: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise<ConsentAnswer>((resolve, reject) => {
        const settle = (answer: ConsentAnswer | ToolError): void =>
          answer instanceof ToolError ? reject(answer) : resolve(answer);
        expiry = setTimeout(() => settle("deny"), ANSWER_MS);
        signal.addEventListener("abort", () => settle(new ToolError("cancelled")), { once: true });
        this.#open.set(id, { wish, card: cardOf(id, wish, choices), settle });
        this.#changed(wish);
        still();
      });
    } finally {
      clearTimeout(expiry);
      clearInterval(updates);
      this.#open.delete(id);
      this.#changed(wish);
    }
  }

  /** Writes a lasting answer down, and lets it answer the other cards it covers. */
  async #keep({ conversation, action, aim }: Wish, answer: ConsentAnswer): Promise<void> {
    if (answer === "once") return;
    const stored =
      answer === "always" ? grantAlways(aim.origin, action) : grantInConversation(conversation, aim.origin, action);
    // A browser that refuses to write it down asks again next time.
    await stored.catch(() => undefined);
    for (const { wish, card, settle } of [...this.#open.values()]) {
      const same = wish.aim.origin === aim.origin && wish.action === action && wish.conversation === conversation;
      if (same && card.choices.includes(answer)) settle("once");
    }
  }

  #changed({ conversation }: Wish): void {
    this.#desk.changed(conversation, this.cards(conversation));
  }
}

/** Nothing lasting is offered where each action must be asked for, and nothing is kept in incognito windows. */
function choicesOf(eachTime: boolean): ConsentAnswer[] {
  if (eachTime) return ["once", "deny"];
  return inIncognito() ? ["once", "conversation", "deny"] : ["once", "conversation", "always", "deny"];
}

function cardOf(id: string, { turn, action, aim }: Wish, choices: ConsentAnswer[]): ConsentCard {
  return {
    id,
    turn,
    action,
    site: aim.site,
    ...(aim.target !== undefined && { target: clip(aim.target, TARGET_MAX) }),
    // What goes into a password field is nobody's to read.
    ...(aim.value !== undefined && !aim.secret && { value: clip(aim.value, VALUE_MAX) }),
    ...(aim.secret && { secret: true }),
    choices,
    expiresAt: Date.now() + ANSWER_MS,
  };
}

/**
 * The questions to the person about actions: asked in the panels that show the conversation, one at a time, answered
 * there and nowhere else, and never open for long (decision 28).
 *
 * A card is built from what the page's frame says of the target, never from the model's words alone. What a person
 * answered is kept by `grants-store.ts`; what the answer lets happen is `guard.ts`'s business.
 */
import type { ActionKind, ConsentAnswer, ConsentCard } from "../bridge/panel-port";
import { inIncognito } from "../shared/platform";
import { ToolError } from "./errors";
import { grantAlways, grantInConversation, isGranted } from "./grants-store";
import type { Policy } from "./policy";
import type { Aim } from "./tool";

/** Unanswered for so long, since it came first in its line, counts as "don't". */
const ANSWER_MS = 120_000;
/** While a card is open the worker hears of it this often, so that its deadline does not run out. */
const UPDATE_MS = 30_000;
/** After so many refusals in one turn the person is left in peace. */
const DENIALS_MAX = 3;

/** Who can see cards. */
export interface ConsentDesk {
  /** A panel shows the conversation, or would when its tab is brought to the front. */
  reachable(conversation: string, windowId: number): boolean;
  /** The cards of a conversation changed; the first is the one to show. */
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
  /** The person is not done; called at once and then every 30 s. */
  still(): void;
  /** The card is the one to show from now on. */
  shown(): void;
}

interface Open {
  wish: Wish;
  card: ConsentCard;
  shown(): void;
  /** Runs while the card is the first of its line. */
  expiry?: ReturnType<typeof setTimeout>;
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
    const eachTime = policy.confirmBeforeMutating || aim.secret || aim.page !== undefined || aim.origin === "null";
    if (!eachTime && (await isGranted(conversation, aim.origin, action))) return;
    if (waiting.signal.aborted) throw new ToolError("cancelled");
    if (this.#isRefused(turn)) throw new ToolError("consent-denied");
    if (!this.#desk.reachable(conversation, wish.windowId)) throw new ToolError("consent-unavailable");
    const answer = await this.#ask(wish, choicesOf(eachTime), waiting);
    if (answer === "deny") {
      this.#refuse(turn);
      throw new ToolError("consent-denied");
    }
    await this.#keep(wish, answer);
  }

  /** The person answered in a panel that shows `conversation`; anything but its first card is ignored. */
  answer(conversation: string, id: string, answer: ConsentAnswer): void {
    const [first] = this.#line(conversation);
    if (first?.card.id === id && first.card.choices.includes(answer)) first.settle(answer);
  }

  /** The cards of a conversation, oldest first. */
  cards(conversation: string): ConsentCard[] {
    return this.#line(conversation).map(({ card }) => card);
  }

  /** The conversations with open cards, the one that has waited longest first, and the window each waits in. */
  waiting(): { conversation: string; windowId: number }[] {
    return [...this.#open.values()].map(({ wish: { conversation, windowId } }) => ({ conversation, windowId }));
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

  #line(conversation: string): Open[] {
    return [...this.#open.values()].filter(({ wish }) => wish.conversation === conversation);
  }

  async #ask(wish: Wish, choices: ConsentAnswer[], { signal, still, shown }: Waiting): Promise<ConsentAnswer> {
    const card = cardOf(wish, choices);
    const updates = setInterval(still, UPDATE_MS);
    try {
      return await new Promise<ConsentAnswer>((resolve, reject) => {
        // Out of the line at once: what comes next must not be answered by the same press.
        const settle = (answer: ConsentAnswer | ToolError): void => {
          this.#close(card.id);
          if (answer instanceof ToolError) reject(answer);
          else resolve(answer);
        };
        signal.addEventListener("abort", () => settle(new ToolError("cancelled")), { once: true });
        this.#open.set(card.id, { wish, card, shown, settle });
        this.#changed(wish.conversation);
        still();
      });
    } finally {
      clearInterval(updates);
    }
  }

  #close(id: string): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    clearTimeout(open.expiry);
    this.#open.delete(id);
    this.#changed(open.wish.conversation);
  }

  #isRefused(turn: string): boolean {
    return (this.#denials.get(turn) ?? 0) >= DENIALS_MAX;
  }

  /** Counts a refusal; after the last one nothing of the turn is asked any more, nor what waits in line. */
  #refuse(turn: string): void {
    this.#denials.set(turn, (this.#denials.get(turn) ?? 0) + 1);
    if (!this.#isRefused(turn)) return;
    // From the last to the first, so that none is shown in between.
    for (const { wish, settle } of [...this.#open.values()].toReversed()) {
      if (wish.turn === turn) settle(new ToolError("consent-denied"));
    }
  }

  /** Writes a lasting answer down, and lets it answer the other cards it covers. */
  async #keep({ conversation, action, aim }: Wish, answer: ConsentAnswer): Promise<void> {
    if (answer === "once") return;
    const stored =
      answer === "always" ? grantAlways(aim.origin, action) : grantInConversation(conversation, aim.origin, action);
    // A browser that refuses to write it down asks again next time.
    await stored.catch(() => undefined);
    for (const { wish, card, settle } of [...this.#open.values()].toReversed()) {
      const same = wish.aim.origin === aim.origin && wish.action === action && wish.conversation === conversation;
      if (same && card.choices.includes(answer)) settle("once");
    }
  }

  /** The clock of a card starts when it comes first: nobody can answer what nobody sees. */
  #changed(conversation: string): void {
    const [first] = this.#line(conversation);
    if (first !== undefined && first.expiry === undefined) {
      first.card.expiresAt = Date.now() + ANSWER_MS;
      first.expiry = setTimeout(() => first.settle("deny"), ANSWER_MS);
      first.shown();
    }
    this.#desk.changed(conversation, this.cards(conversation));
  }
}

/** Nothing lasting is offered where each action must be asked for, and nothing is kept in incognito windows. */
function choicesOf(eachTime: boolean): ConsentAnswer[] {
  if (eachTime) return ["once", "deny"];
  return inIncognito() ? ["once", "conversation", "deny"] : ["once", "conversation", "always", "deny"];
}

/** Everything whole: what a person does not see, they have not allowed. The schemas of the tools bound it. */
function cardOf({ turn, action, aim }: Wish, choices: ConsentAnswer[]): ConsentCard {
  const { site, page, target, role, context, value, secret } = aim;
  return {
    id: crypto.randomUUID(),
    turn,
    action,
    site,
    ...(page !== undefined && page !== site && { page }),
    ...(target !== undefined && { target }),
    ...(role !== undefined && { role }),
    ...(context !== undefined && { context }),
    // What goes into a password field is nobody's to read.
    ...(value !== undefined && !secret && { value }),
    ...(secret && { secret: true }),
    choices,
  };
}

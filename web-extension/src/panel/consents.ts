/** The actions that wait for the person, as the panel keeps them. Pure. */
import type { ConsentCard } from "../bridge/panel-port";

/** The cards, and the ones that were answered here but may still come in a list that was on its way. */
export interface Consents {
  cards: readonly ConsentCard[];
  answered: ReadonlySet<string>;
}

/** Nothing waits. */
export const NO_CONSENTS: Consents = { cards: [], answered: new Set() };

/** The service worker's list replaces the one before; an answered card does not come back with it. */
export function replaceConsents({ answered }: Consents, cards: readonly ConsentCard[]): Consents {
  const listed = new Set(cards.map((card) => card.id));
  return {
    cards: cards.filter((card) => !answered.has(card.id)),
    answered: new Set([...answered].filter((id) => listed.has(id))),
  };
}

/** The person answered: the card is gone at once. */
export function answerConsent({ cards, answered }: Consents, id: string): Consents {
  return { cards: cards.filter((card) => card.id !== id), answered: new Set([...answered, id]) };
}

/** The actions that wait for the person: one card at a time, at the end of the turn that wants to act. */
import type { ConsentAnswer } from "../../../bridge/panel-port";
import { usePanel } from "../../context";
import type { PanelState } from "../../state";
import { useTyping } from "../../typing";
import { ConsentCard } from "./ConsentCard";

/** The oldest card that waits. */
export function Consents({ state, focusComposer }: { state: PanelState; focusComposer: () => void }) {
  const { send, dispatch } = usePanel();
  const isTyping = useTyping();
  const stopped = new Set(state.conversation.turns.filter((turn) => turn.stopping).map((turn) => turn.id));
  // A turn that is being stopped acts no more, whatever the service worker has not heard yet.
  const cards = state.consents.cards.filter((card) => !stopped.has(card.turn));
  const card = cards[0];
  if (card === undefined) return null;
  const answer = (choice: ConsentAnswer) => {
    if (send({ kind: "consent", id: card.id, answer: choice })) dispatch({ kind: "consent-answered", id: card.id });
  };
  return (
    <ConsentCard
      key={card.id}
      card={card}
      waiting={cards.length}
      answer={answer}
      isTyping={isTyping}
      focusComposer={focusComposer}
    />
  );
}

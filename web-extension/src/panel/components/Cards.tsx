/** What stands in the transcript beside turns: the state of the connection, the model's set-up, first questions. */
import { useEffect, useState } from "preact/hooks";
import { readDismissed, writeDismissed } from "../dismissed";
import type { PanelState } from "../state";
import { EmptyState } from "./EmptyState";
import { LinkCard } from "./LinkCard";
import { SetupCard } from "./SetupCard";

interface Props {
  state: PanelState;
  /** The person asked for the set-up, whatever was dismissed before. */
  settingUp: boolean;
  closeSetUp: () => void;
  ask: (text: string) => void;
}

/** The cards that fit the state. */
export function Cards({ state, settingUp, closeSetUp, ask }: Props) {
  const { link, loaded, conversation, page } = state;
  const [dismissed, setDismissed] = useState(true);
  useEffect(() => {
    readDismissed().then(setDismissed, () => undefined);
  }, []);
  // One that has an id and no turns is still being read.
  const empty = loaded && conversation.turns.length === 0 && conversation.id === undefined;
  const offline = link.state === "ready" && link.model.offline;
  const close = () => {
    setDismissed(true);
    writeDismissed().catch(() => undefined);
    closeSetUp();
  };
  return (
    <>
      {link.state === "down" && <LinkCard link={link} />}
      {empty && link.state !== "down" && <EmptyState page={page} ask={ask} />}
      {(settingUp || (offline && empty && !dismissed)) && <SetupCard wanted={settingUp} close={close} />}
    </>
  );
}

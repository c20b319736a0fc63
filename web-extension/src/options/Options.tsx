/** The options page: the connection, the model, who may do what, and what is kept. */
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Announcer } from "../panel/components/Announcer";
import { type PanelApi, PanelProvider } from "../panel/context";
import { t } from "../panel/i18n";
import type { Started } from "../panel/start";
import { useAnnouncer } from "../panel/use-announcer";
import { Connection } from "./Connection";
import { DeleteAll } from "./DeleteAll";
import { Grants } from "./Grants";
import { ManagedPolicy } from "./ManagedPolicy";
import { Model } from "./Model";
import { Pairings } from "./Pairings";
import { Privacy } from "./Privacy";
import { Sites } from "./Sites";
import { ThemeChoice } from "./ThemeChoice";

/** The page. */
export function Options({ started: { store, client } }: { started: Started }) {
  const [link, setLink] = useState(store.state.link);
  useLayoutEffect(() => {
    store.listen((state) => setLink(state.link));
    setLink(store.state.link);
  }, [store]);
  const [said, announce] = useAnnouncer(null);
  const api = useMemo<PanelApi>(
    () => ({
      send: (command) => client.send(command),
      request: (request) => client.request(request),
      dispatch: (event) => store.dispatch(event),
      announce,
    }),
    [client, store, announce],
  );
  return (
    <PanelProvider value={api}>
      <main class="options">
        <h1>{t("optionsTitle")}</h1>
        <Connection link={link} />
        <Model link={link} />
        <Pairings ready={link.state === "ready"} />
        <Sites />
        <Grants />
        <ManagedPolicy />
        <ThemeChoice />
        <Privacy />
        <DeleteAll ready={link.state === "ready"} />
      </main>
      <Announcer text={said.text} serial={said.serial} />
    </PanelProvider>
  );
}

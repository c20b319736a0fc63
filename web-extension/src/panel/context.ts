/** What every component of a page may use without it being handed down: the port, the store and the announcer. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PanelRequest } from "../bridge/panel-port";
import type { Answer, PanelCommand } from "./port";
import type { LocalEvent } from "./state";

/** The actions of a page. */
export interface PanelApi {
  send(command: PanelCommand): boolean;
  request(request: PanelRequest): Promise<Answer>;
  dispatch(event: LocalEvent): void;
  /** Tells screen readers something once, without moving the focus. */
  announce(text: string): void;
}

const Panel = createContext<PanelApi | null>(null);

/** Makes the actions available below. */
export const PanelProvider = Panel.Provider;

/** The actions of the page a component stands in. */
export function usePanel(): PanelApi {
  const api = useContext(Panel);
  if (api === null) throw new Error("component used outside of a panel");
  return api;
}

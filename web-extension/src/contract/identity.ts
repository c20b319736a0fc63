/** The names and numbers that both sides of the bridge must agree on, from `contract/identity.json`. */
import identity from "../../../contract/identity.json";

/** Name under which the native host is registered. */
export const NATIVE_HOST: string = identity.nativeHost;

/** Ports on which a worker may listen, first and last. */
export const PORTS = { first: identity.portFirst, last: identity.portLast } as const;

/** Version of the chat contract this extension speaks. */
export const CONTRACT_VERSION = "2.1.0";

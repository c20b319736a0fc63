/**
 * Our half of the mutual challenge on a WebSocket (decision 2): the worker proves itself first, then we do.
 *
 * It makes and checks frames; sockets and timeouts belong to `socket-transport.ts`.
 */
import type { Challenge, Hello, HelloAck, Proof } from "../contract/types";
import type { Client } from "./client";
import { macOf, randomHex256, sameMac } from "./mac";
import type { Pairing } from "./pairing";

const LABEL_SERVER = "sidewire bridge 1 server";
const LABEL_CLIENT = "sidewire bridge 1 client";
const LABEL_PAIRING = "sidewire bridge 1 pairing";

/** One attempt: its nonce is never used again (S19). */
export class Handshake {
  readonly #pairing: Pairing;
  readonly #origin: string;
  readonly #nonceC = randomHex256();
  #nonceS = "";

  constructor(pairing: Pairing, origin: string) {
    this.#pairing = pairing;
    this.#origin = origin;
  }

  /** The first frame; it identifies nobody (S18). */
  hello(): Hello {
    return { type: "hello", bridge: 1, keyId: this.#pairing.keyId, nonceC: this.#nonceC };
  }

  /** Our proof, or null when the other side could not prove that it knows the secret. */
  async prove(challenge: Challenge, client: Client): Promise<Proof | null> {
    this.#nonceS = challenge.nonceS;
    if (!sameMac(await this.#mac(LABEL_SERVER), challenge.macS)) return null;
    return { type: "proof", macC: await this.#mac(LABEL_CLIENT), role: "browser", ...client };
  }

  /** The lasting key after a first pairing; null when the key in use was already a lasting one. */
  async lastingKey(ack: HelloAck, client: Client): Promise<Pairing | null> {
    if (ack.pairedKeyId === undefined || !this.#pairing.keyId.startsWith("pair-")) return null;
    const fields = [LABEL_PAIRING, this.#nonceC, this.#nonceS, client.instance];
    return {
      port: this.#pairing.port,
      keyId: ack.pairedKeyId,
      secret: await macOf(this.#pairing.secret, fields),
    };
  }

  /** Binds the proof to the dialled address, so that an impostor relaying from another port fails. */
  #mac(label: string): Promise<string> {
    const { port, keyId, secret } = this.#pairing;
    return macOf(secret, [label, this.#nonceC, this.#nonceS, `127.0.0.1:${port}`, this.#origin, keyId]);
  }
}

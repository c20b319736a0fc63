/**
 * The pairing with a worker: the string a person pastes, and the lasting key that replaces it.
 *
 * The secret lives in `storage.local` only; it is never logged and never sent anywhere.
 */
import { isRecord, isString } from "../shared/guards";
import { load, remove, save } from "../shared/storage";

/** Where a worker listens and the key that it and we share. */
export interface Pairing {
  port: number;
  keyId: string;
  /** 32 bytes as 64 lower-case hex digits. */
  secret: string;
}

const KEY = "pairing";
const CODE = /^sidewire:(\d{1,5}):(pair-[a-z0-9]{8}):([a-f0-9]{64})$/;

/** Reads `sidewire:PORT:pair-xxxxxxxx:HEX64`; null when it is anything else. */
export function parsePairingCode(code: string): Pairing | null {
  const [, port, keyId, secret] = CODE.exec(code.trim()) ?? [];
  if (port === undefined || keyId === undefined || secret === undefined) return null;
  const number = Number(port);
  return number >= 1024 && number <= 65_535 ? { port: number, keyId, secret } : null;
}

/** The lasting pairing, if there is one. */
export async function loadPairing(): Promise<Pairing | undefined> {
  return load("local", KEY, isPairing);
}

/** Keeps a pairing, replacing any other. */
export async function savePairing(pairing: Pairing): Promise<void> {
  await save("local", KEY, pairing);
}

/** Forgets the pairing on this side; the worker's half is revoked there. */
export async function forgetPairing(): Promise<void> {
  await remove("local", KEY);
}

function isPairing(value: unknown): value is Pairing {
  return (
    isRecord(value) &&
    Number.isInteger(value["port"]) &&
    isString(value["keyId"]) &&
    isString(value["secret"]) &&
    /^[a-f0-9]{64}$/.test(value["secret"])
  );
}

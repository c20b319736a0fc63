import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeChrome } from "../shared/testing/fake-chrome";
import { forgetPairing, loadPairing, parsePairingCode, savePairing } from "./pairing";

const HEX = "ab".repeat(32);
let fake: FakeChrome;

beforeEach(() => {
  fake = new FakeChrome();
  vi.stubGlobal("chrome", fake);
});

describe("pairing string", () => {
  it("is read with space around it", () => {
    const pairing = { port: 19_222, keyId: "pair-abcd1234", secret: HEX };
    expect(parsePairingCode(` sidewire:19222:pair-abcd1234:${HEX}\n`)).toEqual(pairing);
  });

  it("is refused when anything is wrong with it", () => {
    for (const code of [
      "",
      `sidewire:19222:pair-abcd1234:${HEX}0`,
      `sidewire:19222:pair-abcd1234:${HEX.toUpperCase()}`,
      `sidewire:19222:key-abcdefgh12345678:${HEX}`,
      `sidewire:80:pair-abcd1234:${HEX}`,
      `sidewire:65536:pair-abcd1234:${HEX}`,
      `sidewire:127.0.0.1:pair-abcd1234:${HEX}`,
      `other:19222:pair-abcd1234:${HEX}`,
    ]) {
      expect(parsePairingCode(code), code).toBeNull();
    }
  });
});

describe("stored pairing", () => {
  it("lives in local storage until it is forgotten", async () => {
    const pairing = { port: 19_222, keyId: "key-abcdefgh12345678", secret: HEX };
    await savePairing(pairing);
    expect(await loadPairing()).toEqual(pairing);
    expect(fake.storage.session.values.size).toBe(0);
    await forgetPairing();
    expect(await loadPairing()).toBeUndefined();
  });

  it("is not believed when another version left something else there", async () => {
    await fake.storage.local.set({ pairing: { port: "19222", keyId: 1 } });
    expect(await loadPairing()).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import vectors from "../../../contract/schema/mac-vectors.json";
import { macOf, randomHex256, sameMac } from "./mac";

describe("handshake hash (the same vectors as the worker and the native host)", () => {
  for (const { name, side, secret, nonceC, nonceS, authority, origin, keyId, mac } of vectors.proofs) {
    it(name, async () => {
      const fields = [`sidewire bridge 1 ${side}`, nonceC, nonceS, authority, origin ?? "", keyId];
      expect(await macOf(secret, fields)).toBe(mac);
    });
  }

  for (const { name, secret, nonceC, nonceS, instance, newSecret } of vectors.pairings) {
    it(name, async () => {
      expect(await macOf(secret, ["sidewire bridge 1 pairing", nonceC, nonceS, instance])).toBe(newSecret);
    });
  }

  it("gives other bytes when a border between fields moves", async () => {
    const secret = "00".repeat(32);
    expect(await macOf(secret, ["ab", "c"])).not.toBe(await macOf(secret, ["a", "bc"]));
  });

  it("compares whole hashes", () => {
    expect(sameMac("abcd", "abcd")).toBe(true);
    for (const other of ["abce", "bbcd", "abc", "abcde", ""]) expect(sameMac("abcd", other)).toBe(false);
  });

  it("makes 32 fresh random bytes", () => {
    expect(randomHex256()).toMatch(/^[a-f0-9]{64}$/);
    expect(randomHex256()).not.toBe(randomHex256());
  });
});

import { describe, expect, it } from "vitest";
import bridge from "../../../contract/schema/bridge-1.json";
import chat from "../../../contract/schema/chat-2.1.0.json";
import { FRAME_LIMIT, parseWorkerFrame, readWorkerFrame } from "./frames";
import * as validators from "./validators.generated";

const guards = new Map(Object.entries(validators).map(([name, guard]) => [name.toLowerCase(), guard]));

function accepts(schema: string, value: unknown): boolean {
  const guard = guards.get(`is${schema.replaceAll("_", "")}`);
  if (guard === undefined) throw new Error(`no validator for ${schema}`);
  return guard(value);
}

const files = { chat, bridge };
const schemaNames = Object.values(files).flatMap((file) => Object.keys(file.schemas));

function schemaOf(example: string, value: object): string {
  return "type" in value && typeof value.type === "string" ? value.type : example;
}

describe("contract conformance (the same vectors as the Rust types)", () => {
  it("makes one validator for every schema and no other", () => {
    expect(guards.size).toBe(schemaNames.length);
    for (const name of schemaNames) expect(() => accepts(name, null)).not.toThrow();
  });

  for (const [file, { examples }] of Object.entries(files)) {
    for (const [name, value] of Object.entries(examples.valid)) {
      it(`${file}: accepts ${name}`, () => expect(accepts(schemaOf(name, value), value)).toBe(true));

      it(`${file}: refuses null and arrays for ${name}`, () => {
        expect(accepts(schemaOf(name, value), null)).toBe(false);
        expect(accepts(schemaOf(name, value), [value])).toBe(false);
      });
    }
    for (const { schema, why, value } of examples.invalid) {
      it(`${file}: refuses ${schema}: ${why}`, () => expect(accepts(schema, value)).toBe(false));
    }
  }

  it("requires every field that the schema requires", () => {
    for (const { schemas, examples } of Object.values(files)) {
      const required = new Map<string, string[]>(
        Object.entries(schemas).map(([name, schema]) => [name, "required" in schema ? schema.required : []]),
      );
      for (const [name, value] of Object.entries(examples.valid)) {
        for (const field of required.get(schemaOf(name, value)) ?? []) {
          const without = Object.fromEntries(Object.entries(value).filter(([key]) => key !== field));
          expect(accepts(schemaOf(name, value), without), `${name} without ${field}`).toBe(false);
        }
      }
    }
  });
});

describe("reading a frame", () => {
  it("reads the tag before anything else", () => {
    expect(parseWorkerFrame('{"type":"chat_delta","id":"c-1","seq":0,"delta":"x"}')).toEqual({
      ok: true,
      frame: { type: "chat_delta", id: "c-1", seq: 0, delta: "x" },
    });
    expect(parseWorkerFrame('{"type":"gossip"}')).toMatchObject({
      failure: { failure: "unknown-type", tag: "gossip" },
    });
  });

  it("N23: survives every kind of rubbish", () => {
    for (const text of ["", "{", "null", "[]", '"x"', "{}", '{"type":7}', '{"__proto__":{"type":"ping"}}']) {
      expect(parseWorkerFrame(text).ok, text).toBe(false);
    }
    expect(readWorkerFrame(undefined).ok).toBe(false);
    expect(readWorkerFrame({ type: "constructor" })).toMatchObject({ failure: { failure: "unknown-type" } });
  });

  it("N23: refuses a frame over the limit before it is parsed", () => {
    const frame = (length: number): string => `{"type":"ping","pad":"${"x".repeat(length - 24)}"}`;
    for (const length of [FRAME_LIMIT - 1, FRAME_LIMIT]) {
      expect(frame(length)).toHaveLength(length);
      expect(parseWorkerFrame(frame(length)).ok).toBe(true);
    }
    expect(parseWorkerFrame(frame(FRAME_LIMIT + 1))).toEqual({ ok: false, failure: { failure: "too-large" } });
  });

  it("refuses what only a browser sends", () => {
    expect(parseWorkerFrame(JSON.stringify(chat.examples.valid.chat_request)).ok).toBe(false);
    expect(parseWorkerFrame(JSON.stringify(bridge.examples.valid.proof)).ok).toBe(false);
  });

  it("N25: an unknown reason still names the turn that it ends", () => {
    expect(readWorkerFrame({ type: "chat_error", id: "c-1", reason: "quota" })).toEqual({
      ok: false,
      failure: { failure: "wrong-shape", tag: "chat_error", turn: "c-1" },
    });
  });
});

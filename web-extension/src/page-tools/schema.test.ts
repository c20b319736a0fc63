import Ajv from "ajv";
import { describe, expect, it } from "vitest";
import { faultOf } from "./schema";
import { PAGE_TOOLS } from "./tools";

const ajv = new Ajv({ strict: true, allowUnionTypes: false });

/** Values of all sorts, from right to absurd, tried for every argument of every tool. */
const VALUES: unknown[] = [
  "kq12",
  "f3kq1",
  "button",
  "up",
  "top",
  "gone",
  "",
  "x".repeat(299),
  "x".repeat(5_000),
  "𝒳".repeat(300),
  "𝒳".repeat(301),
  0,
  1,
  1.5,
  -1,
  500,
  60_000,
  60_001,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  false,
  null,
  [],
  ["Alt"],
  ["Alt", "no such key"],
  ["a", 7],
  Array.from({ length: 51 }, () => "a"),
  {},
];

describe("the check of arguments", () => {
  it.each(PAGE_TOOLS.map((tool) => [tool.name, tool.parameters] as const))(
    "agrees with the schema of %s",
    (_, schema) => {
      const validate = ajv.compile(schema);
      const required = Object.fromEntries(
        (schema.required ?? []).map((name) => [name, name === "options" ? ["a"] : "x"]),
      );
      const samples: unknown[] = [
        required,
        {},
        null,
        [],
        "x",
        { ...required, other: 1 },
        { ...required, constructor: 1 },
      ];
      for (const name of Object.keys(schema.properties))
        for (const value of VALUES) samples.push({ ...required, [name]: value });
      for (const sample of samples) {
        const shown = JSON.stringify(sample)?.slice(0, 100);
        expect(faultOf(schema, sample) === null, shown).toBe(validate(sample));
      }
    },
  );

  it("says what is wrong without repeating it", () => {
    const [tool] = PAGE_TOOLS;
    if (tool === undefined) throw new Error("no tools");
    expect(faultOf(tool.parameters, { bytes: "secret words" })).toBe('"bytes" must be a number');
    expect(faultOf(tool.parameters, { "secret words": 1 })).not.toContain("secret");
  });
});

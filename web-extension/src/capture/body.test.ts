import { expect, it } from "vitest";
import { trimBody } from "./body";
import { jsonBytes } from "./text";

const resource = (routes: number, text = 40) => ({
  junk: { blob: "x".repeat(text * 50) },
  metadata: { name: "lb1", namespace: "default" },
  spec: { routes: Array.from({ length: routes }, (_, index) => ({ order: index, note: "é".repeat(text) })) },
});

it("leaves a body alone that fits to the byte", () => {
  const body = resource(3);
  const size = jsonBytes(body);
  expect(trimBody(body, size)).toEqual({ body, cut: false });
  expect(trimBody(body, size - 1).cut).toBe(true);
});

it("cuts arrays with a count and never goes over the budget", () => {
  const whole = resource(2000);
  for (const budget of [100_000, 40_000, 12_000, 4000, 1500, 600, 200, 60]) {
    const { body, cut } = trimBody(whole, budget);
    expect(cut).toBe(true);
    expect(jsonBytes(body)).toBeLessThanOrEqual(budget);
    if (budget >= 600) expect(JSON.stringify(body)).toContain('"name":"lb1"');
  }
  expect(JSON.stringify(trimBody(whole, 12_000).body)).toMatch(/\[19\d\d more\]/);
});

it("copes with wide objects and long keys", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`key${index}${"k".repeat(300)}`, index]),
  );
  expect(jsonBytes(trimBody(wide, 5000).body)).toBeLessThanOrEqual(5000);
});

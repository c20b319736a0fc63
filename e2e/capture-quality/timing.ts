/** How long a capture of a page of 5,000 elements takes. */
import { join } from "node:path";
import { field } from "../harness/json";
import { REPOSITORY } from "../harness/paths";
import type { Reader } from "./methods";
import { bundle } from "./site";

const ROUNDS = 60;
const WHOLE_ROUNDS = 12;

/** Milliseconds. */
export interface CaptureTimes {
  elements: number;
  /** Walk and assembly, in the page. */
  p50: number;
  max: number;
  /** The same as the panel waits for it, messages between processes included. */
  wholeP50: number;
}

/** Measures it on `pages/elements.html`. */
export async function timeCapture(reader: Reader): Promise<CaptureTimes> {
  const page = await reader.show({ page: "elements" });
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  const program = await bundle(join(REPOSITORY, "e2e", "capture-quality", "probe.ts"));
  const { result } = await session.send("Runtime.evaluate", {
    contextId: executionContextId,
    expression: `${program};sidewireBench.probe(${ROUNDS})`,
    returnByValue: true,
  });
  const times = numbers(field(result.value, "times"));
  const whole: number[] = [];
  for (let round = 0; round < WHOLE_ROUNDS; round += 1) {
    const started = performance.now();
    await reader.snapshot();
    whole.push(performance.now() - started);
  }
  const elements = Number(field(result.value, "elements"));
  return { elements, p50: median(times), max: Math.max(...times), wholeP50: median(whole) };
}

function numbers(value: unknown): number[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error("no capture was timed");
  return value.map(Number);
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

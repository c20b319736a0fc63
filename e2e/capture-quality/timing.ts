/** How long a capture of a page of 5,000 elements takes. */
import { join } from "node:path";
import type { CDPSession } from "playwright-core";
import { field } from "../harness/json";
import { REPOSITORY } from "../harness/paths";
import type { Reader } from "./methods";
import { bundle } from "./site";

const ROUNDS = 60;
const WHOLE_ROUNDS = 12;

/** Milliseconds of one kind of time. */
export interface Times {
  p50: number;
  max: number;
}

/** What was measured. */
export interface CaptureTimes {
  elements: number;
  /** Walk and assembly in the page: what its thread computed. Others on the machine do not count. */
  computed: Times;
  /** The same by the clock; what other programs take from the machine counts. */
  clock: Times;
  /** By the clock until the panel has it, messages between processes included. */
  whole: Times;
}

/** Measures it on `pages/elements.html`, the first capture cold. */
export async function timeCapture(reader: Reader): Promise<CaptureTimes> {
  const page = await reader.show({ page: "elements" });
  const session = await page.context().newCDPSession(page);
  const contextId = await isolatedWorld(session);
  const program = await bundle(join(REPOSITORY, "e2e", "capture-quality", "probe.ts"));
  await session.send("Runtime.evaluate", {
    contextId,
    expression: `${program};globalThis.probe = sidewireBench.probe`,
  });
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const computed: number[] = [];
  const clock: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await threadTime(session);
    const { result } = await session.send("Runtime.evaluate", {
      contextId,
      expression: "probe()",
      returnByValue: true,
    });
    computed.push((await threadTime(session)) - before);
    clock.push(Number(result.value));
  }
  const whole: number[] = [];
  for (let round = 0; round < WHOLE_ROUNDS; round += 1) {
    const started = performance.now();
    await reader.snapshot();
    whole.push(performance.now() - started);
  }
  const elements = await page.locator("*").count();
  return { elements, computed: timesOf(computed), clock: timesOf(clock), whole: timesOf(whole) };
}

/** A world beside the page's own, as a content script has. */
async function isolatedWorld(session: CDPSession): Promise<number> {
  const { frameTree } = await session.send("Page.getFrameTree");
  const world = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  return world.executionContextId;
}

/** Milliseconds that the page's main thread has computed so far. */
async function threadTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return (
    Number(
      field(
        metrics.find(({ name }) => name === "TaskDuration"),
        "value",
      ),
    ) * 1000
  );
}

function timesOf(times: readonly number[]): Times {
  const ordered = times.toSorted((a, b) => a - b);
  return { p50: ordered[Math.floor(ordered.length / 2)] ?? Number.NaN, max: ordered.at(-1) ?? Number.NaN };
}

import { beforeEach, describe, expect, it, vi } from "vitest";
import type { MediaAsset } from "./descriptor";
import type { ReadAnswer } from "./fetch";
import { MediaLibrary } from "./library";
import { partOf, pngOf, type TestFile } from "./testing/files";

const revoked: string[] = [];
let made = 0;

beforeEach(() => {
  revoked.length = 0;
  made = 0;
  vi.spyOn(URL, "createObjectURL").mockImplementation(() => `blob:${++made}`);
  vi.spyOn(URL, "revokeObjectURL").mockImplementation((url) => void revoked.push(url));
});

interface Question {
  conversation: string;
  ref: string;
  answer: (answer: ReadAnswer) => void;
}

/** A library whose reads wait for the test to answer them. */
function library() {
  const questions: Question[] = [];
  const shelf = new MediaLibrary(
    (conversation, ref) => new Promise((answer) => questions.push({ conversation, ref, answer })),
  );
  return { shelf, questions };
}

const open = (shelf: MediaLibrary, { asset }: TestFile, life = new AbortController(), conversation = "k") =>
  shelf.open({ conversation, asset, signal: life.signal });

/** Lets everything that is ready happen. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

const well = (file: TestFile): ReadAnswer => ({ ok: true, chunk: partOf(file, 0) });

async function opened(shelf: MediaLibrary, questions: Question[], file: TestFile, life = new AbortController()) {
  const opening = open(shelf, file, life);
  await settled();
  questions.pop()?.answer(well(file));
  return opening;
}

describe("the library", () => {
  it("fetches a file once for all who show it, and revokes its URL with the last of them", async () => {
    const { shelf, questions } = library();
    const file = pngOf(100);
    const [one, two] = [new AbortController(), new AbortController()];
    const both = [open(shelf, file, one), open(shelf, file, two)];
    await settled();
    expect(questions).toHaveLength(1);
    questions[0]?.answer(well(file));
    const urls = (await Promise.all(both)).map((result) => result.ok && result.url);
    expect(urls).toEqual(["blob:1", "blob:1"]);
    one.abort();
    expect(revoked).toEqual([]);
    two.abort();
    expect(revoked).toEqual(["blob:1"]);
  });

  it("has a file again without asking, under a new URL", async () => {
    const { shelf, questions } = library();
    const file = pngOf(100);
    const life = new AbortController();
    await opened(shelf, questions, file, life);
    life.abort();
    const again = await open(shelf, file);
    expect(again.ok && again.url).toBe("blob:2");
    expect(questions).toEqual([]);
  });

  it("does not take a kept file for another that only claims its hash", async () => {
    const { shelf, questions } = library();
    const file = pngOf(100);
    await opened(shelf, questions, file);
    const lie: MediaAsset = { ...file.asset, bytes: 50 };
    const opening = open(shelf, { ...file, asset: lie });
    await settled();
    questions[0]?.answer(well(file));
    expect(await opening).toEqual({ ok: false, fault: "beyond" });
  });

  it("fetches few files at once, and the next when one is done", async () => {
    const { shelf, questions } = library();
    const files = [1, 2, 3, 4, 5].map((seed) => pngOf(100, seed));
    const openings = files.map((file) => open(shelf, file));
    await settled();
    expect(questions).toHaveLength(3);
    questions[0]?.answer({ ok: false, fault: "unavailable" });
    await settled();
    expect(questions).toHaveLength(4);
    expect(await openings[0]).toEqual({ ok: false, fault: "unavailable" });
  });

  it("ends a fetch when the last who wanted it leaves, and passes over those still waiting", async () => {
    const { shelf, questions } = library();
    const lives = [1, 2, 3, 4].map(() => new AbortController());
    const openings = lives.map((life, seed) => open(shelf, pngOf(100, seed), life));
    await settled();
    for (const life of lives) life.abort();
    expect(await Promise.all(openings)).toEqual(openings.map(() => ({ ok: false, fault: "ended" })));
    await settled();
    expect(questions).toHaveLength(3);
    expect(made).toBe(0);
    const later = open(shelf, pngOf(100, 9));
    await settled();
    questions.at(-1)?.answer(well(pngOf(100, 9)));
    expect((await later).ok).toBe(true);
  });

  it("goes on for those who stay", async () => {
    const { shelf, questions } = library();
    const file = pngOf(100);
    const leaving = new AbortController();
    const left = open(shelf, file, leaving);
    const stays = open(shelf, file);
    await settled();
    leaving.abort();
    expect(await left).toEqual({ ok: false, fault: "ended" });
    questions[0]?.answer(well(file));
    expect((await stays).ok).toBe(true);
  });

  it("asks in the conversation that shows the file", async () => {
    const { shelf, questions } = library();
    void open(shelf, pngOf(100), new AbortController(), "one");
    void open(shelf, pngOf(100), new AbortController(), "two");
    await settled();
    expect(questions.map(({ conversation }) => conversation)).toEqual(["one", "two"]);
  });

  it("tries a file that failed anew", async () => {
    const { shelf, questions } = library();
    const file = pngOf(100);
    const first = open(shelf, file);
    await settled();
    questions.pop()?.answer({ ok: false, fault: "unavailable" });
    expect((await first).ok).toBe(false);
    expect((await opened(shelf, questions, file)).ok).toBe(true);
  });
});

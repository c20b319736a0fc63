import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeChrome } from "../shared/testing/fake-chrome";
import { draftKey, EMPTY, forgetDrafts, readDraft, writeDraft } from "./drafts";

let fake: FakeChrome;
const key = draftKey(undefined, 7);
const draft = { text: "half a thought", attachPage: false };

beforeEach(() => {
  fake = new FakeChrome();
  vi.stubGlobal("chrome", fake);
});

describe("a draft", () => {
  it("is kept until it is empty or everything is forgotten", async () => {
    await writeDraft(key, draft);
    expect(await readDraft(key)).toEqual(draft);
    await writeDraft(key, EMPTY);
    expect(fake.storage.session.values.size).toBe(0);
    await writeDraft(key, draft);
    await fake.storage.session.set({ other: 1 });
    await forgetDrafts();
    expect([...fake.storage.session.values.keys()]).toEqual(["other"]);
    expect(await readDraft(key)).toEqual(EMPTY);
  });

  it("of an incognito window is never stored", async () => {
    fake.extension.inIncognitoContext = true;
    await writeDraft(key, draft);
    expect(await readDraft(key)).toEqual(draft);
    expect(fake.storage.session.values.size).toBe(0);
  });
});

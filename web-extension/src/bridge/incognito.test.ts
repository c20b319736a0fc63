import { beforeEach, expect, it, vi } from "vitest";
import { FakeChrome } from "../shared/testing/fake-chrome";
import { forgetClosedIncognito } from "./incognito";

let fake: FakeChrome;

beforeEach(() => {
  fake = new FakeChrome();
  fake.extension.inIncognitoContext = true;
  vi.stubGlobal("chrome", fake);
  const { values } = fake.storage.session;
  values.set("incognito:turn:c-1", { text: "private" });
  values.set("incognito:places", { "window:3": "k" });
  values.set("incognito:conversations", { conversations: [], tabs: [[7, "k"]] });
  values.set("browserRun", "kept");
});

const left = (): string[] => [...fake.storage.session.values.keys()];

it("nothing of a closed incognito window is left, and nothing else is touched", async () => {
  fake.tabList = [{ id: 20, windowId: 9, active: true }];
  await forgetClosedIncognito();
  expect(left()).toEqual(["browserRun"]);
});

it.each([
  ["a tab", { id: 7, windowId: 9, active: true }],
  ["the window", { id: 20, windowId: 3, active: true }],
])("everything stays while %s is still there", async (_, tab) => {
  fake.tabList = [tab];
  await forgetClosedIncognito();
  expect(left()).toHaveLength(4);
});

it("the other half of the extension forgets nothing", async () => {
  fake.extension.inIncognitoContext = false;
  await forgetClosedIncognito();
  expect(left()).toHaveLength(4);
});

// @vitest-environment jsdom
import { expect, it } from "vitest";
import { Marks } from "./marks";
import { pageText } from "./text";

it("page_text in the smallest pages is the same text, with nothing said twice", async () => {
  document.body.innerHTML = "<h1>Title</h1><p>Some words, not many.</p>";
  const { signal } = new AbortController();
  const base = { view: window, prefix: "", signal, mayTypeSecrets: false, target: null, check: () => undefined };
  const read = async (offset: number, limit: number) => {
    const { data } = await pageText.run({ ...base, args: { offset, limit }, marks: new Marks(window) });
    if (data === undefined || !("text" in data)) throw new Error("no text");
    return data;
  };
  const { text: whole, total } = await read(0, 1000);
  let text = "";
  for (let offset = 0; offset < total; offset += 7) text += (await read(offset, 7)).text;
  expect(text).toBe(whole);
  expect(whole).toBe("Title\nSome words, not many.");
});

// @ts-check
/** What a person does with keys and buttons, and what the service worker hears of it. */
import { behaves, check, composer, drawn, heard, post, posted, SHOWN } from "./browser.mjs";

/**
 * @typedef {import("./browser.mjs").Check} Check
 * @typedef {import("./browser.mjs").Page} Page
 */

/** @type {Check[]} */
const keys = [
  behaves("enter sends, shift+enter makes a line", "empty", async (page) => {
    await composer(page).fill("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await page.keyboard.press("Enter");
    const [ask] = await heard(page, "ask", 1);
    check(ask?.["text"] === "one\ntwo" && ask["attachPage"] === true, JSON.stringify(ask));
    check((await composer(page).inputValue()) === "", "the composer is empty after sending");
  }),
  behaves("enter inside an input method does not send", "empty", async (page) => {
    await composer(page).fill("にほ");
    await composer(page).evaluate((field) => {
      field.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }),
      );
      field.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }),
      );
      field.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Escape", isComposing: true, bubbles: true, cancelable: true }),
      );
    });
    await drawn(page);
    check((await posted(page, "ask")).length === 0, "nothing was sent");
    await page.keyboard.press("Enter");
    await heard(page, "ask", 1);
  }),
  behaves("escape closes the popup first, then stops", "streaming", async (page) => {
    await page.getByRole("button", { name: "Kind of answer" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("group", { name: "Kind of answer" }).waitFor({ state: "detached" });
    check((await posted(page, "stop")).length === 0, "closing a popup stops nothing");
    await page.keyboard.press("Escape");
    const [stop] = await heard(page, "stop", 1);
    check(stop?.["turn"] === "c-2", JSON.stringify(stop));
    await page.getByText("Stopped.").waitFor();
    await post(page, { kind: "delta", key: SHOWN, turn: "c-2", at: 420, text: "LATE" });
    await drawn(page);
    check((await page.getByText("LATE").count()) === 0, "text that comes after a stop is ignored");
  }),
  behaves("stop stands where send stood", "streaming", async (page) => {
    const stop = await page.getByRole("button", { name: "Stop" }).boundingBox();
    await page.getByRole("button", { name: "Stop" }).click();
    const send = await page.getByRole("button", { name: "Send" }).boundingBox();
    check(JSON.stringify(stop) === JSON.stringify(send), "same place");
  }),
  behaves("enter while answering keeps the text and says why", "streaming", async (page) => {
    await composer(page).fill("next question");
    await page.keyboard.press("Enter");
    await page.getByText("This conversation is still answering").waitFor();
    check((await composer(page).inputValue()) === "next question", "the text stays");
    check((await posted(page, "ask")).length === 0, "nothing was sent");
  }),
  behaves("up brings back the last prompt, only into an empty composer", "answer", async (page) => {
    await composer(page).press("ArrowUp");
    check((await composer(page).inputValue()) === "What does lb1 do?", "the last prompt");
    await composer(page).fill("other");
    await composer(page).press("ArrowUp");
    check((await composer(page).inputValue()) === "other", "typed text stays");
  }),
  behaves("a slash opens commands that the keyboard runs", "answer", async (page) => {
    await composer(page).fill("/h");
    check((await page.getByRole("option").count()) === 1, "one command fits");
    const active = await composer(page).getAttribute("aria-activedescendant");
    check(active !== null && (await page.locator(`[id="${active}"]`).count()) === 1, "the active command is named");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    check(
      await composer(page).evaluate((field) => field === document.activeElement),
      "the focus returns to the composer",
    );
    await composer(page).fill("/new");
    await page.keyboard.press("Enter");
    const [opened] = await heard(page, "open", 1);
    check(
      opened?.["conversation"] === null && (await posted(page, "ask")).length === 0,
      "a new conversation, no question",
    );
  }),
  behaves("the menu works with the keyboard", "answer", async (page) => {
    await page.getByRole("button", { name: "More" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    const opened = await page.evaluate(() => Reflect.get(globalThis, "gallery").asked.optionsOpened);
    check(opened === 1, "the last entry opens the settings");
  }),
  behaves("modes are a radio group", "answer", async (page) => {
    await page.getByRole("button", { name: "Kind of answer" }).click();
    check((await page.getByRole("radio").count()) === 5, "five modes");
    await page.keyboard.press("ArrowDown");
    const [set] = await heard(page, "set-mode", 1);
    check(set?.["mode"] === "presentation", JSON.stringify(set));
    check(await page.getByRole("group", { name: "Kind of answer" }).isVisible(), "arrows leave it open");
    await page.getByText("Configure").click();
    await page.getByRole("group", { name: "Kind of answer" }).waitFor({ state: "detached" });
  }),
];

/** @type {Check[]} */
const actions = [
  behaves("a suggestion is asked", "empty", async (page) => {
    await page.getByRole("button", { name: "What does lb1 do?" }).click();
    const [ask] = await heard(page, "ask", 1);
    check(ask?.["text"] === "What does lb1 do?", JSON.stringify(ask));
  }),
  behaves("a failed turn can be asked again after tool rows", "error-partial", async (page) => {
    await page.getByRole("button", { name: "Try again" }).click();
    const [retry] = await heard(page, "retry", 1);
    check(retry?.["turn"] === "c-1", JSON.stringify(retry));
  }),
  behaves("an unknown failure still ends the turn", "streaming", async (page) => {
    const turn = await page.evaluate(() =>
      Reflect.get(globalThis, "gallery").turn({ id: "c-2", state: "failed", reason: "brand-new" }),
    );
    await post(page, { kind: "turn", key: SHOWN, turn });
    await page.getByText("for a reason this version does not know").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
  }),
  behaves("editing a prompt asks in a branch", "answer", async (page) => {
    await page.getByRole("button", { name: "Edit question" }).click();
    await page.getByRole("textbox", { name: "Edit question" }).fill("What is api-eu?");
    await page.keyboard.press("Enter");
    const [branch] = await heard(page, "branch", 1);
    check(branch?.["turn"] === "c-1" && branch["text"] === "What is api-eu?", JSON.stringify(branch));
  }),
  behaves("an answer is copied and asked again", "answer", async (page) => {
    await page.getByRole("button", { name: "Copy answer" }).click();
    check((await page.evaluate(() => navigator.clipboard.readText())).startsWith("**lb1**"), "the Markdown is copied");
    await page.getByRole("button", { name: "Answer again" }).click();
    const [branch] = await heard(page, "branch", 1);
    check(branch?.["text"] === "What does lb1 do?", JSON.stringify(branch));
  }),
  behaves("code is copied without its frame", "answer", async (page) => {
    await page.locator(".code").getByRole("button", { name: "Copy" }).click();
    await page.locator(".code").getByRole("button", { name: "Copied" }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    check(text.startsWith("routes:") && text.endsWith("retries: 2"), text);
  }),
  behaves("the permission is asked for in the press", "page-needs-permission", async (page) => {
    await page.getByRole("button", { name: "Allow wiki.example.com" }).click();
    await heard(page, "page-granted", 1);
    const asked = await page.evaluate(() => Reflect.get(globalThis, "gallery").asked.permissions);
    check(JSON.stringify(asked) === '["https://wiki.example.com/*"]', JSON.stringify(asked));
  }),
  behaves("the switch keeps the page at home", "empty", async (page) => {
    await page.getByRole("switch").click();
    await composer(page).fill("hello");
    await page.keyboard.press("Enter");
    const [ask] = await heard(page, "ask", 1);
    check(ask?.["attachPage"] === false, JSON.stringify(ask));
  }),
  behaves("a preview pins what is sent", "empty", async (page) => {
    await page.getByRole("button", { name: "Show what will be sent" }).click();
    await page.getByText("Save changes").waitFor();
    await page.keyboard.press("Escape");
    await composer(page).fill("hello");
    await page.keyboard.press("Enter");
    const [ask] = await heard(page, "ask", 1);
    check(ask?.["previewToken"] === "pin-1", JSON.stringify(ask));
    check((await page.getByText("previewed version").count()) === 0, "the pin is used up");
  }),
  behaves("what could not be sent comes back", "empty", async (page) => {
    await composer(page).fill("my question");
    await page.keyboard.press("Enter");
    await heard(page, "ask", 1);
    await post(page, { kind: "not-sent", text: "my question", reason: "page-changed" });
    await page.getByText("The page changed").waitFor();
    check((await composer(page).inputValue()) === "my question", "the text is back");
  }),
  behaves("history renames, deletes and brings back", "answer", async (page) => {
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("button", { name: "Rename “Summarise" }).click();
    await page.keyboard.type("Better name");
    await page.keyboard.press("Enter");
    await page.getByText("Better name").waitFor();
    await page.getByRole("button", { name: "Delete “Better" }).click();
    await page.getByText("Better name").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Better name").waitFor();
    await heard(page, "restore", 1);
  }),
  behaves("pairing and set-up say what became of them", "fault-host-missing", async (page) => {
    await page.getByText("Pair without").click();
    await page.getByRole("textbox", { name: "Pairing line" }).fill("wrong");
    await page.getByRole("button", { name: "Pair", exact: true }).click();
    await page.getByText("was not accepted").waitFor();
    await page.getByRole("textbox", { name: "Pairing line" }).fill("right");
    await page.getByRole("button", { name: "Pair", exact: true }).click();
    await page.getByText("Paired with Sidewire").first().waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await heard(page, "reconnect", 1);
  }),
  behaves("a draft survives another conversation", "answer", async (page) => {
    await composer(page).fill("half a thought");
    await drawn(page);
    const other = await page.evaluate(() =>
      Reflect.get(globalThis, "gallery").conversation({ id: "21111111-2222-4333-8444-555555555555", turns: [] }),
    );
    await post(page, { kind: "conversation", conversation: other });
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "");
    const first = await page.evaluate(() => Reflect.get(globalThis, "gallery").conversation());
    await post(page, { kind: "conversation", conversation: first });
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "half a thought");
  }),
  behaves("a question that was sent does not come back in a new chat", "empty", async (page) => {
    const conversation = { key: "n-1", title: "", mode: "educational", turns: [], ephemeral: false };
    await post(page, { kind: "conversation", conversation });
    // The draft of the place is read before anything is typed into it.
    await drawn(page);
    await drawn(page);
    await composer(page).fill("sent once");
    await page.waitForFunction(() =>
      Reflect.get(globalThis, "chrome")
        .storage.session.get(null)
        .then((/** @type {Record<string, unknown>} */ all) =>
          Object.keys(all).some((key) => key.startsWith("draft:window")),
        ),
    );
    await page.keyboard.press("Enter");
    await heard(page, "ask", 1);
    const id = "41111111-2222-4333-8444-555555555555";
    await post(page, { kind: "conversation", conversation: { ...conversation, id } });
    await post(page, { kind: "conversation", conversation: { ...conversation, key: "n-2" } });
    await drawn(page);
    await drawn(page);
    check((await composer(page).inputValue()) === "", "the new chat starts empty");
  }),
  behaves("a broken port comes back by itself", "answer", async (page) => {
    await page.evaluate(() => Reflect.get(globalThis, "gallery").breakPort());
    await heard(page, "attach", 2);
    await composer(page).fill("still there?");
    await page.keyboard.press("Enter");
    await heard(page, "ask", 1);
  }),
];

/** All of it. @type {Check[]} */
export const behaviour = [...keys, ...actions];

// @ts-check
/** How a person answers a question about an action, and that nothing else can. */
import { behaves, check, composer, drawn, heard, open, post, posted, SHOWN } from "./browser.mjs";

/**
 * @typedef {import("./browser.mjs").Check} Check
 * @typedef {import("./browser.mjs").Page} Page
 */

/** @param {Page} page */
const consent = (page) => page.locator(".consent");

/** @param {Page} page @param {string} name */
const answerButton = (page, name) => consent(page).getByRole("button", { name });

/** @param {Page} page @param {string} answer */
const focused = (page, answer) =>
  page.evaluate((wanted) => document.activeElement?.getAttribute("data-answer") === wanted, answer);

/** @param {Page} page */
const writing = (page) => composer(page).evaluate((field) => field === document.activeElement);

/** Waits until the buttons work. @param {Page} page */
const armed = (page) => page.locator(".consent [data-answer=deny][aria-disabled=false]").waitFor();

/**
 * The service worker says which actions wait.
 * @param {Page} page
 * @param {...Record<string, unknown>} changes
 */
async function ask(page, ...changes) {
  await page.evaluate(
    ([key, wanted]) => {
      const gallery = Reflect.get(globalThis, "gallery");
      const cards = wanted.map((/** @type {object} */ one) => gallery.card(one));
      gallery.post({ kind: "consents", key, cards });
    },
    /** @type {const} */ ([SHOWN, changes]),
  );
}

/** @param {Element} element */
const isFocused = (element) => element === document.activeElement;

/** @param {import("./browser.mjs").Place} place */
async function revokes(place) {
  const { page, problems } = await open(place, { scene: "grants", page: "options" });
  const section = page.getByRole("region", { name: "What Sidewire may do on sites" });
  await section.getByRole("button", { name: "Revoke “Fill in fields” on https://example-corp" }).click();
  await section.getByText("Fill in fields").waitFor({ state: "detached" });
  check(
    await section.getByRole("button", { name: "Revoke “Choose from lists”" }).evaluate(isFocused),
    "the next has the focus",
  );
  check(await section.getByText("Choose from lists").isVisible(), "the other actions stay");
  await page.getByText("Revoked.").waitFor({ state: "attached" });
  await section.getByRole("button", { name: "Revoke all on https://example-corp" }).first().click();
  await page.getByText("Revoked.").waitFor({ state: "attached" });
  await section.getByText("https://example-corp").waitFor({ state: "detached" });
  check(await section.getByRole("heading", { level: 2 }).evaluate(isFocused), "the heading has the focus");
  await page.evaluate(() => {
    const grant = { origin: "https://new.example", actions: ["press"] };
    return Reflect.get(globalThis, "chrome").storage.local.set({ "grant:https://new.example": grant });
  });
  await section.getByText("https://new.example").waitFor();
  check(problems.length === 0, problems.join("; "));
}

/** All checks. @type {Check[]} */
export const consents = [
  { name: "consent: what was allowed for good is listed, live, and taken back", run: revokes },
  behaves("consent: don't has the focus, and enter declines", "consent-click", async (page) => {
    await armed(page);
    check(await focused(page, "deny"), "Don't has the focus");
    await page.keyboard.press("Enter");
    const [answer] = await heard(page, "consent", 1);
    check(answer?.["id"] === "card-1" && answer["answer"] === "deny", JSON.stringify(answer));
    await consent(page).waitFor({ state: "detached" });
    check(await writing(page), "the focus is back in the composer");
  }),
  behaves("consent: each answer is its own", "streaming", async (page) => {
    for (const [name, answer] of [
      ["Once", "once"],
      ["This conversation", "conversation"],
      ["Always on this site", "always"],
      ["Don't", "deny"],
    ]) {
      await ask(page, { id: `for-${answer}` });
      await armed(page);
      await answerButton(page, name ?? "").click();
      const last = (await posted(page, "consent")).at(-1);
      check(last?.["answer"] === answer && last?.["id"] === `for-${answer}`, JSON.stringify(last));
    }
  }),
  behaves("consent: who is writing keeps the focus", "streaming", async (page) => {
    await composer(page).fill("half a thought");
    await ask(page, {});
    await consent(page).waitFor();
    check(await writing(page), "the composer keeps the focus");
    await page.getByRole("status").getByText("Sidewire asks: Click Edit on").waitFor({ state: "attached" });
    await page.keyboard.type(" more");
    check((await composer(page).inputValue()) === "half a thought more", "the keys go where they went");
  }),
  behaves("consent: who writes the first letters keeps the focus", "streaming", async (page) => {
    await composer(page).press("x");
    await composer(page).press("Backspace");
    await ask(page, {});
    await consent(page).waitFor();
    check(await writing(page), "the composer keeps the focus");
  }),
  behaves("consent: escape declines and does not stop the answer", "consent-click", async (page) => {
    await armed(page);
    await page.keyboard.press("Escape");
    const [answer] = await heard(page, "consent", 1);
    check(answer?.["answer"] === "deny", JSON.stringify(answer));
    check((await posted(page, "stop")).length === 0, "the turn goes on");
  }),
  behaves("consent: a press in the moment it appears does nothing", "streaming", async (page) => {
    await page.evaluate(() => {
      new MutationObserver((_records, observer) => {
        const button = document.querySelector("[data-answer=always]");
        if (!(button instanceof HTMLElement)) return;
        observer.disconnect();
        button.click();
        setTimeout(() => button.click(), 200);
        setTimeout(() => Object.assign(globalThis, { pressed: true }), 250);
      }).observe(document.body, { childList: true, subtree: true });
    });
    await ask(page, {});
    await page.waitForFunction(() => Reflect.get(globalThis, "pressed") === true);
    check((await posted(page, "consent")).length === 0, "both presses were too early");
    await armed(page);
    await answerButton(page, "Always").click();
    check((await heard(page, "consent", 1)).length === 1, "later it counts");
  }),
  behaves("consent: several come one at a time, each inert at first", "consent-several", async (page) => {
    await armed(page);
    check((await consent(page).count()) === 1, "one card");
    await page.getByText("1 of 3").waitFor();
    await answerButton(page, "Once").click();
    await page.getByText("1 of 2").waitFor();
    check((await page.locator(".consent [aria-disabled=true]").count()) === 4, "the next card is inert");
    check(await focused(page, "deny"), "its Don't has the focus");
    check(await page.getByText("Domain", { exact: true }).isVisible(), "it is the next action");
    await armed(page);
    await answerButton(page, "Once").click();
    await page.getByText("1 of 2").waitFor({ state: "detached" });
    check((await page.getByText("of 3").count()) === 0, "the last one needs no count");
  }),
  behaves("consent: what was answered elsewhere vanishes", "consent-click", async (page) => {
    await armed(page);
    await ask(page);
    await consent(page).waitFor({ state: "detached" });
    check(await writing(page), "the focus is back in the composer");
    check((await posted(page, "consent")).length === 0, "nothing was answered here");
  }),
  behaves("consent: a stop takes the question away", "consent-click", async (page) => {
    await page.getByRole("button", { name: "Stop" }).click();
    await consent(page).waitFor({ state: "detached" });
    await heard(page, "stop", 1);
  }),
  behaves("consent: texts of the page stay one line of text", "consent-hostile", async (page) => {
    const seen = await consent(page).evaluate((card) => ({
      elements: [...card.querySelectorAll(".consent-sentence *")].map((element) => element.tagName),
      text: card.querySelector(".consent-sentence")?.textContent ?? "",
      answers: [...card.querySelectorAll("button")].map((button) => button.textContent),
    }));
    check(new Set(seen.elements).size === 1 && seen.elements[0] === "BDI", seen.elements.join());
    check(!/[\n\r\u2028\u2029\u202a-\u202e\u2066-\u2069]/.test(seen.text), "no breaks and no turns");
    check(seen.text.startsWith("Click ") && seen.text.endsWith(" on bank.example.attacker.example?"), seen.text);
    check(seen.answers.join() === "Once,This conversation,Always on this site,Don't", seen.answers.join());
  }),
  behaves("consent: further up it says that an answer is awaited", "streaming", async (page) => {
    await page.setViewportSize({ width: 380, height: 320 });
    await composer(page).fill("reading");
    await page.locator(".transcript").hover();
    await page.mouse.wheel(0, -2000);
    await page.getByRole("button", { name: "Latest" }).waitFor();
    await ask(page, {});
    await page.getByRole("button", { name: "Waiting for your answer" }).click();
    await drawn(page);
    check(await answerButton(page, "Once").isVisible(), "the card is in view");
  }),
  behaves("consent: a turn that is told anew keeps the card and its focus", "consent-click", async (page) => {
    await armed(page);
    await post(page, { kind: "alive", key: SHOWN, turn: "c-2" });
    await post(page, { kind: "delta", key: SHOWN, turn: "c-2", at: 0, text: "Let me click that." });
    await page.getByText("Let me click that.").waitFor();
    check(await focused(page, "deny"), "Don't still has the focus");
    check((await page.locator(".consent [aria-disabled=false]").count()) === 4, "the card is the same");
  }),
];

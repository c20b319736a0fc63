// @ts-check
/** Attack S26: hostile model output stays inert, and nothing leaves the page because of it. */
import { check, drawn, open } from "./browser.mjs";

/** @typedef {import("./browser.mjs").Check} Check */

const ALLOWED = new Set(
  "DIV P BR HR H3 H4 H5 H6 STRONG EM DEL CODE PRE BLOCKQUOTE UL OL LI A TABLE THEAD TBODY TR TH TD SPAN BUTTON".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "href title rel target class start align tabindex role aria-label type data-copy-code dir".split(" "),
);

/** @param {import("./browser.mjs").Place} place */
async function hostileOutput(place) {
  /** @type {string[]} */
  const requests = [];
  place.context.on("request", (request) => {
    if (!request.url().startsWith(place.origin)) requests.push(request.url());
  });
  const { page, problems } = await open(place, { scene: "hostile" });
  await page.locator(".markdown a[href^='https://docs.example.com']").waitFor();
  await page.locator(".markdown").hover();
  await drawn(page);
  const seen = await page.evaluate(() => ({
    hacked: Reflect.get(globalThis, "hacked"),
    names: [...document.querySelectorAll(".markdown *")].map((element) => element.tagName),
    attributes: [...document.querySelectorAll(".markdown *")].flatMap((element) => element.getAttributeNames()),
    links: [...document.querySelectorAll(".markdown a")].map((link) => ({
      href: link.getAttribute("href"),
      rel: link.getAttribute("rel"),
      target: link.getAttribute("target"),
      title: link.getAttribute("title"),
      text: link.textContent,
    })),
    text: document.querySelector(".transcript")?.textContent ?? "",
  }));
  check(seen.hacked === undefined, `ran: ${seen.hacked}`);
  const names = seen.names.filter((name) => !ALLOWED.has(name));
  check(names.length === 0, `elements: ${names.join(", ")}`);
  const attributes = seen.attributes.filter((name) => !ATTRIBUTES.has(name));
  check(attributes.length === 0, `attributes: ${attributes.join(", ")}`);
  for (const { href, rel, target, title } of seen.links) {
    if (href === null) continue;
    check(/^(https?|mailto):/.test(href), `link to ${href}`);
    check(
      rel === "noopener noreferrer" && target === "_blank" && (title ?? "") !== "",
      `link to ${href} is not secured`,
    );
  }
  check(
    seen.links.some(({ text }) => text?.includes("https://bank.example (evil.example)")),
    "a false name is exposed",
  );
  check(!/[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u.test(seen.text), "hidden controls");
  check(seen.text.includes("[U+202E]evil") && seen.text.includes("[U+E0041]"), "hidden controls are named");
  check(seen.text.includes("[Picture not loaded: picture]"), "pictures are named");
  check(requests.length === 0, `requests left: ${requests.join(", ")}`);
  check(problems.length === 0, problems.join("; "));
}

/** The checks. @type {Check[]} */
export const attacks = [{ name: "S26 hostile model output stays inert", run: hostileOutput }];

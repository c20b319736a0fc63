// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { refuseMisfit } from "./values";

function field(html: string): HTMLInputElement | HTMLTextAreaElement {
  document.body.innerHTML = html;
  const [found] = document.querySelectorAll<HTMLInputElement>("input, textarea");
  if (found === undefined) throw new Error("no field");
  return found;
}

describe("values a field can hold", () => {
  it.each([
    ["<input>", "anything"],
    ["<textarea></textarea>", "two\nlines"],
    ['<input type="number" min="1" max="65535">', "443"],
    ['<input type="number">', "-1.5"],
    ['<input type="number">', ""],
    ['<input type="date">', "2026-03-31"],
    ['<input type="time">', "14:30"],
    ['<input type="datetime-local">', "2026-03-31T14:30"],
    ['<input type="month">', "2026-03"],
    ['<input type="color">', "#A1B2C3"],
    ['<input type="range" min="0" max="10">', "7"],
    ['<input maxlength="4">', "four"],
    // What is there already may stay, even if it is longer than one may type.
    ['<input maxlength="4" value="longer">', "longer"],
  ])("%s holds %j", (html, value) => expect(() => refuseMisfit(field(html), value)).not.toThrow());

  it.each([
    ["<input>", "two\nlines"],
    ['<input type="number" min="1" max="65535">', "65536"],
    ['<input type="number">', "1,000"],
    ['<input type="date">', "31.03.2026"],
    ['<input type="date">', "2026-02-30"],
    ['<input type="date" min="2026-01-01">', "2025-12-31"],
    ['<input type="time">', "25:00"],
    ['<input type="color">', "red"],
    ['<input type="color">', ""],
    ['<input type="range" min="0" max="10">', "11"],
    ['<input maxlength="4">', "fives"],
  ])("%s refuses %j", (html, value) => {
    expect(() => refuseMisfit(field(html), value)).toThrowError(expect.objectContaining({ code: "bad-value" }));
  });
});

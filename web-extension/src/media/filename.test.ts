import { describe, expect, it } from "vitest";
import { fileNameOf } from "./filename";

describe("a file is saved", () => {
  it.each([
    ["map.png", "map.png"],
    ["Map of routes.PNG", "Map of routes.png"],
    [undefined, "sidewire.png"],
    ["", "sidewire.png"],
    ["...", "sidewire.png"],
    ["report", "report.png"],
    ["setup.exe", "setup.exe.png"],
    ["photo.jpg", "photo.jpg.png"],
    [".bashrc", "bashrc.png"],
    ["../../etc/passwd", "_.._etc_passwd.png"],
    ["a\u202egnp.exe", "a_gnp.exe.png"],
    ["line\nbreak.png", "line_break.png"],
    ["CON", "sidewire-CON.png"],
    ["nul.png", "sidewire-nul.png"],
    ["lone\ud800.png", "lone\ufffd.png"],
    [`${"x".repeat(300)}.png`, `${"x".repeat(80)}.png`],
  ])("for the hint %j as %j", (hint, name) => expect(fileNameOf(hint, "image/png")).toBe(name));

  it("with the ending of what it is", () => {
    expect(fileNameOf("a.jpeg", "image/jpeg")).toBe("a.jpeg");
    expect(fileNameOf("a.html", "text/plain")).toBe("a.html.txt");
    expect(fileNameOf(undefined, "video/mp4")).toBe("sidewire.mp4");
  });
});

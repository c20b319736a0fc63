import { describe, expect, it } from "vitest";
import { SecretCalls } from "./secret-calls";

const row = (more: object = {}) => ({
  callId: "c",
  tool: "page_fill",
  phase: "finished" as const,
  input: '{"ref":"kq1","value":"hunter22"}',
  ...more,
});

/** The input of a row as it is shown. */
function shown(more: object, secret?: boolean): string | undefined {
  const calls = new SecretCalls();
  if (secret !== undefined) calls.note("t", "c", secret);
  return calls.masked({ id: "t", tools: [row(more)] }).tools[0]?.input;
}

describe("the value of a row", () => {
  it("is shown of a field that is none, and hidden of a secret one", () => {
    expect(shown({}, false)).toContain("hunter22");
    expect(shown({}, true)).toBe('{"ref":"kq1","value":"••••••"}');
    expect(shown({ tool: "page_press", input: '{"key":"h"}' }, true)).toBe('{"key":"••••••"}');
  });

  it("is hidden as long as nobody has said what the field is", () => {
    expect(shown({ phase: "started" })).not.toContain("hunter22");
    expect(shown({ phase: "progress" }, false)).toContain("hunter22");
  });

  it("of an earlier service worker is judged by the names in the row", () => {
    expect(shown({ output: 'Filled textbox "Port": it now holds "hunter22".' })).toContain("hunter22");
    expect(shown({ output: 'Filled textbox "Password".' })).not.toContain("hunter22");
    expect(shown({ input: '{"name":"API token","value":"hunter22"}' })).not.toContain("hunter22");
  });

  it("is hidden in an input that was cut, and with a name that was used twice", () => {
    expect(shown({ input: '{"value":"hunter22 and mo' }, true)).toBe('{"value":"••••••"}');
    const calls = new SecretCalls();
    calls.note("t", "c", true);
    calls.note("t", "c", false);
    expect(calls.masked({ id: "t", tools: [row()] }).tools[0]?.input).not.toContain("hunter22");
  });

  it("of any other tool is left alone", () => {
    const turn = { id: "t", tools: [row({ tool: "page_click", input: '{"name":"Password"}' })] };
    expect(new SecretCalls().masked(turn)).toBe(turn);
  });
});

import { describe, expect, it } from "vitest";
import { chosenOption } from "./options";

const options = ["Round robin", "Least request", "Random", "Ring hash", "Ring hash (weighted)"].map((label, index) => ({
  of: index,
  label,
  value: `lb_${index}`,
  disabled: label === "Random",
}));

describe("options", () => {
  it.each([
    ["Random robin never", null],
    ["Round robin", 0],
    ["round  ROBIN", 0],
    ["lb_1", 1],
    ["Least", 1],
    ["weighted", 4],
    // A whole label wins over one that only begins so.
    ["ring hash", 3],
  ])("%s", (wanted, index) => {
    if (index === null) expect(() => chosenOption(options, wanted)).toThrow();
    else expect(chosenOption(options, wanted).of).toBe(index);
  });

  it("refuses what fits several or is disabled, and lists what there is", () => {
    const fault = (wanted: string) => {
      try {
        return chosenOption(options, wanted);
      } catch (thrown) {
        return thrown;
      }
    };
    expect(fault("R")).toMatchObject({ code: "no-such-option", detail: expect.stringContaining('"R" fits 4 options') });
    expect(fault("Random")).toMatchObject({ code: "disabled" });
    expect(fault("x")).toMatchObject({ detail: expect.stringContaining('"Least request", "Random"') });
    expect(fault("")).toMatchObject({ code: "no-such-option" });
  });
});

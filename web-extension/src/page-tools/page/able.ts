/** Whether an element can be acted on at all: present, not disabled, not inert. */
import { upwards } from "./composed";
import { spokenOf } from "./describe";
import { ToolFault } from "./fault";

/** Refuses what a person could not use either, and says why. */
export function refuseDisabled(element: Element): void {
  const reason = disabledReason(element);
  if (reason !== "") throw new ToolFault("disabled", `${spokenOf(element)} is ${reason}`);
}

/** Why an element takes no action; "" when it does. */
export function disabledReason(element: Element): string {
  if (element.matches(":disabled")) {
    const group = element.hasAttribute("disabled") ? null : element.closest("fieldset:disabled");
    return group === null ? "disabled" : "in a group that is disabled";
  }
  for (const at of upwards(element)) {
    if (at.getAttribute("aria-disabled") === "true") return at === element ? "disabled" : "in a part that is disabled";
    if (at.hasAttribute("inert")) return "in a part of the page that is switched off";
  }
  return "";
}

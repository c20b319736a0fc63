/** What arrow keys and their like do to the browser's own controls, and to a page that scrolls. */
import { scrollerOf } from "./scrolling";

/** Moves a control, or else scrolls; says which, "" for neither. */
export function stepControl(element: Element, key: string): string {
  if (element instanceof HTMLSelectElement) return stepSelect(element, key);
  if (element instanceof HTMLInputElement && element.type === "radio") return stepRadio(element, key);
  if (element instanceof HTMLInputElement && STEPPED.has(element.type)) return stepNumber(element, key);
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return "";
  return element instanceof HTMLElement && element.isContentEditable ? "" : scroll(element, key);
}

const STEPPED = new Set(["number", "range"]);

function changed(control: Element): void {
  control.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
}

/** How far a key goes in a list: along it, or to its ends. */
function stepOf(key: string): number | null {
  if (key === "ArrowDown" || key === "ArrowRight") return 1;
  if (key === "ArrowUp" || key === "ArrowLeft") return -1;
  if (key === "Home") return Number.NEGATIVE_INFINITY;
  return key === "End" ? Number.POSITIVE_INFINITY : null;
}

function stepSelect(select: HTMLSelectElement, key: string): string {
  const step = stepOf(key);
  const open = [...select.options].flatMap((option, index) => (option.disabled ? [] : [index]));
  const place = open.indexOf(select.selectedIndex);
  const next = step === null ? undefined : open[Math.max(0, Math.min(open.length - 1, place + step))];
  if (next === undefined || next === select.selectedIndex) return "";
  select.selectedIndex = next;
  changed(select);
  return `chose "${select.options[next]?.text.trim() ?? ""}"`;
}

function stepRadio(radio: HTMLInputElement, key: string): string {
  const step = stepOf(key);
  if (step === null || !Number.isFinite(step)) return "";
  const root = radio.getRootNode();
  if (!(root instanceof Document || root instanceof ShadowRoot)) return "";
  const group = [...root.querySelectorAll<HTMLInputElement>("input[type='radio']")].filter(
    (each) => each.name === radio.name && each.form === radio.form && !each.disabled,
  );
  const next = group[(group.indexOf(radio) + step + group.length) % group.length];
  if (next === undefined || next === radio) return "";
  next.focus();
  next.click();
  return "chose the next of the group";
}

function stepNumber(input: HTMLInputElement, key: string): string {
  const up = key === "ArrowUp" || (input.type === "range" && key === "ArrowRight");
  const down = key === "ArrowDown" || (input.type === "range" && key === "ArrowLeft");
  if (!(up || down) || input.readOnly) return "";
  const before = input.value;
  if (up) input.stepUp();
  else input.stepDown();
  if (input.value === before) return "";
  changed(input);
  return `made it ${input.value}`;
}

const LINE = 40;

function scroll(element: Element, key: string): string {
  const scroller = scrollerOf(element);
  const page = scroller.clientHeight * 0.9;
  const far = scroller.scrollHeight;
  const way = new Map<string, [number, number]>([
    ["ArrowDown", [0, LINE]],
    ["ArrowUp", [0, -LINE]],
    ["ArrowRight", [LINE, 0]],
    ["ArrowLeft", [-LINE, 0]],
    ["PageDown", [0, page]],
    ["PageUp", [0, -page]],
    ["End", [0, far]],
    ["Home", [0, -far]],
  ]).get(key);
  if (way === undefined) return "";
  const before = scroller.scrollTop + scroller.scrollLeft;
  scroller.scrollBy({ left: way[0], top: way[1], behavior: "instant" });
  return scroller.scrollTop + scroller.scrollLeft === before ? "" : "scrolled";
}

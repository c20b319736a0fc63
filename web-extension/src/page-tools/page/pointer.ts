/** The events of a mouse that comes to a point and presses there, in the order a browser sends them. */
import type { MODIFIERS } from "../frame-arguments";
import { parentOf, upwards } from "./composed";
import type { Described } from "./describe";
import { describe } from "./describe";
import { focusableFor, moveFocus } from "./focusing";
import type { Point } from "./hit";
import { presses, topmost } from "./hit";

/** A key held during a press. */
export type Modifier = (typeof MODIFIERS)[number];

/** How to press. */
export interface Press {
  double: boolean;
  modifiers: readonly Modifier[];
}

/** The state of modifier keys as events carry it. */
export function heldKeys(modifiers: readonly Modifier[]): EventModifierInit {
  return {
    altKey: modifiers.includes("Alt"),
    ctrlKey: modifiers.includes("Control"),
    metaKey: modifiers.includes("Meta"),
    shiftKey: modifiers.includes("Shift"),
  };
}

/**
 * Presses an element at a point, once or twice. False when it went away under the press: what lay below it then gets
 * nothing of that press, for nobody meant it.
 */
export function press(point: Point, element: Element, { double, modifiers }: Press): boolean {
  const mouse = new Mouse(point, element, heldKeys(modifiers));
  mouse.arrive();
  if (!mouse.press(1)) return false;
  if (!double) return true;
  return mouse.press(2) && mouse.send("dblclick", { detail: 2 });
}

class Mouse {
  readonly #x: number;
  readonly #y: number;
  readonly #held: EventModifierInit;
  readonly #document: Document;
  /** What is pressed, as it was called and where it was before. */
  readonly #called: Described;
  readonly #box: DOMRect;
  #element: Element;
  #under: Element;

  constructor({ x, y, element: under }: Point, element: Element, held: EventModifierInit) {
    this.#x = x;
    this.#y = y;
    this.#held = held;
    this.#under = under;
    this.#element = element;
    this.#called = describe(element);
    this.#box = element.getBoundingClientRect();
    this.#document = under.ownerDocument;
  }

  arrive(): void {
    this.send("pointerover");
    this.#enter();
    this.send("mouseover");
    this.send("pointermove");
    this.send("mousemove");
  }

  /** One press: down, focus, up, and exactly one click; false when there is nothing left to send it to. */
  press(detail: number): boolean {
    if (!this.#isThere()) return false;
    const down = this.send("pointerdown", { buttons: 1, detail: 0 });
    if (!this.#isThere()) return false;
    // Who prevents the pointer event wants no mouse events beside it.
    const focuses = !down || this.send("mousedown", { buttons: 1, detail });
    if (!this.#isThere()) return false;
    if (focuses) moveFocus(this.#document, focusableFor(this.#under));
    if (!this.#isThere()) return false;
    this.send("pointerup", { detail: 0 });
    if (!this.#isThere()) return false;
    if (down) this.send("mouseup", { detail });
    if (!this.#isThere()) return false;
    // A click sent as an event does what the element does when it is clicked: follow, submit, check, open.
    this.send("click", { detail });
    return true;
  }

  /** Whether what is pressed is still there; a page may draw it anew while the button is down, in the same place. */
  #isThere(): boolean {
    if (this.#under.isConnected) return true;
    const under = topmost(this.#document, this.#x, this.#y);
    const element = under === null ? undefined : this.#drawnAnew(under);
    if (under === null || element === undefined) return false;
    this.#under = under;
    this.#element = element;
    return true;
  }

  #drawnAnew(under: Element): Element | undefined {
    if (this.#element.isConnected) return presses(under, this.#element) ? this.#element : undefined;
    return [...upwards(under)]
      .map((at) => (at instanceof HTMLLabelElement ? (at.control ?? at) : at))
      .find((at) => this.#isSame(at));
  }

  #isSame(other: Element): boolean {
    const { role, name } = describe(other);
    return name !== "" && role === this.#called.role && name === this.#called.name && isAt(this.#box, other);
  }

  send(type: string, more: MouseEventInit = {}): boolean {
    const init = { ...this.#base(), ...more };
    if (!POINTER_EVENTS.has(type)) return this.#under.dispatchEvent(new MouseEvent(type, init));
    const pointer = { ...init, pointerId: 1, pointerType: "mouse", isPrimary: type !== "click" };
    return this.#under.dispatchEvent(new PointerEvent(type, pointer));
  }

  /** Entering concerns each element around the point by itself, the outermost first. */
  #enter(): void {
    const entered: Element[] = [];
    for (let at: Element | null = this.#under; at !== null; at = parentOf(at)) entered.unshift(at);
    for (const type of ["pointerenter", "mouseenter"]) {
      const base = { ...this.#base(), bubbles: false, cancelable: false, composed: false };
      for (const element of entered) {
        const event = type === "mouseenter" ? new MouseEvent(type, base) : new PointerEvent(type, base);
        element.dispatchEvent(event);
      }
    }
  }

  #base(): MouseEventInit {
    const view = this.#document.defaultView;
    const at = { clientX: this.#x, clientY: this.#y };
    const screen = { screenX: this.#x + (view?.screenX ?? 0), screenY: this.#y + (view?.screenY ?? 0) };
    return { bubbles: true, cancelable: true, composed: true, view, button: 0, ...at, ...screen, ...this.#held };
  }
}

const POINTER_EVENTS = new Set(["pointerover", "pointermove", "pointerdown", "pointerup", "click"]);

/** Whether an element lies where a box was. */
function isAt(box: DOMRect, element: Element): boolean {
  const now = element.getBoundingClientRect();
  const far = [now.left - box.left, now.top - box.top, now.right - box.right, now.bottom - box.bottom];
  return far.every((distance) => Math.abs(distance) < 2);
}

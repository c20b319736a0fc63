/** The events of a mouse that comes to a point and presses there, in the order a browser sends them. */
import { parentOf } from "./composed";
import { focusableFor, moveFocus } from "./focusing";
import type { Point } from "./hit";
import { topmost } from "./hit";

/** Keys held during a press. */
export const MODIFIERS = ["Alt", "Control", "Meta", "Shift"] as const;
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

/** Presses at a point, once or twice. */
export function press(point: Point, { double, modifiers }: Press): void {
  const mouse = new Mouse(point, heldKeys(modifiers));
  mouse.arrive();
  mouse.press(1);
  if (!double) return;
  mouse.press(2);
  mouse.send("dblclick", { detail: 2 });
}

class Mouse {
  readonly #x: number;
  readonly #y: number;
  readonly #held: EventModifierInit;
  readonly #document: Document;
  #under: Element;

  constructor({ x, y, element }: Point, held: EventModifierInit) {
    this.#x = x;
    this.#y = y;
    this.#held = held;
    this.#under = element;
    this.#document = element.ownerDocument;
  }

  arrive(): void {
    this.#sendPointer("pointerover");
    this.#enter();
    this.send("mouseover");
    this.#sendPointer("pointermove");
    this.send("mousemove");
  }

  /** One press: down, focus, up, and exactly one click. */
  press(detail: number): void {
    const down = this.#sendPointer("pointerdown", { buttons: 1 });
    // Who prevents the pointer event wants no mouse events beside it.
    const focuses = !down || this.send("mousedown", { buttons: 1, detail });
    if (focuses) moveFocus(this.#document, focusableFor(this.#under));
    // A page may draw itself anew while the button is down; what lies there now gets the rest.
    if (!this.#under.isConnected) this.#under = topmost(this.#document, this.#x, this.#y) ?? this.#document.body;
    this.#sendPointer("pointerup");
    if (down) this.send("mouseup", { detail });
    this.#sendClick(detail);
  }

  send(type: string, more: MouseEventInit = {}): boolean {
    return this.#under.dispatchEvent(new MouseEvent(type, { ...this.#base(), ...more }));
  }

  #sendPointer(type: string, more: PointerEventInit = {}): boolean {
    const init = { ...this.#base(), pointerId: 1, pointerType: "mouse", isPrimary: true, ...more };
    return this.#under.dispatchEvent(new PointerEvent(type, init));
  }

  /** A click sent as an event does what the element does when it is clicked: follow, submit, check, open. */
  #sendClick(detail: number): void {
    const init = { ...this.#base(), pointerId: 1, pointerType: "mouse", detail };
    this.#under.dispatchEvent(new PointerEvent("click", init));
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

/**
 * The one element we add to a page: a host outside its body with a closed shadow root, in which all drawings live.
 *
 * The page can neither read nor reach into it, it takes no room and no pointer (the badge's button aside), and capture
 * does not see it. A page that removes it loses decoration, nothing else.
 */
import { CSS } from "./layer-style";

const hosts = new WeakSet<Element>();
/** A page that keeps removing the host is left alone. */
const RETURNS_MAX = 5;
const FADE_MILLISECONDS = 160;

/** Whether an element is our host. */
export function isOurs(element: Element): boolean {
  return hosts.has(element);
}

/** The host in one document; it is there only while something is drawn. */
export class Layer {
  readonly #document: Document;
  #host: HTMLElement | null = null;
  #root: ShadowRoot | null = null;
  #returns = 0;

  constructor(document: Document) {
    this.#document = document;
  }

  /** Draws an element above the page; false where the page has no room for it. */
  add(drawing: HTMLElement, how: "fading" | "at once"): boolean {
    const root = this.#root ?? this.#make();
    if (root === null) return false;
    root.append(drawing);
    this.raise();
    if (how === "fading") this.#fadeIn(drawing);
    return true;
  }

  /** Takes a drawing away, and the host with the last one. */
  remove(drawing: HTMLElement): void {
    drawing.remove();
    if (this.#root?.childElementCount === 0) {
      this.#host?.remove();
      this.#host = null;
      this.#root = null;
    }
  }

  /** Puts the host back where the page has removed it; false when it may not stay. */
  keep(): boolean {
    if (this.#host === null) return false;
    if (this.#host.isConnected) return true;
    this.#returns += 1;
    if (this.#returns > RETURNS_MAX) return false;
    this.#document.documentElement.append(this.#host);
    this.raise();
    return true;
  }

  /** Above everything, dialogs too: the last to enter the top layer is on top. */
  raise(): void {
    const host = this.#host;
    if (host === null || typeof host.showPopover !== "function" || !host.isConnected) return;
    try {
      if (host.matches(":popover-open")) host.hidePopover();
      host.showPopover();
    } catch {
      // Without the top layer the drawings are still above all but modal dialogs.
    }
  }

  #fadeIn(drawing: HTMLElement): void {
    const still = this.#document.defaultView?.matchMedia("(prefers-reduced-motion: reduce)").matches ?? true;
    if (!still) drawing.animate([{ opacity: 0 }, { opacity: 1 }], { duration: FADE_MILLISECONDS, easing: "ease-out" });
  }

  #make(): ShadowRoot | null {
    const home = this.#document.documentElement;
    if (!(home instanceof HTMLElement)) return null;
    const host = this.#document.createElement("div");
    hosts.add(host);
    host.setAttribute("popover", "manual");
    for (const [property, value] of HOST_STYLE) host.style.setProperty(property, value, "important");
    const root = host.attachShadow({ mode: "closed" });
    // A sheet made by script works under every content security policy.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
    root.adoptedStyleSheets = [sheet];
    home.append(host);
    this.#host = host;
    this.#root = root;
    return root;
  }
}

const HOST_STYLE = [
  ["all", "initial"],
  ["display", "block"],
  ["position", "fixed"],
  ["inset", "0"],
  ["width", "auto"],
  ["height", "auto"],
  ["margin", "0"],
  ["padding", "0"],
  ["border", "0"],
  ["background", "transparent"],
  ["overflow", "visible"],
  ["pointer-events", "none"],
  ["z-index", "2147483647"],
  ["contain", "layout style"],
] as const;

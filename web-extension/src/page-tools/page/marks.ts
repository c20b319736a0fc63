/**
 * What is drawn over the page: outlines, callouts, the badge, and covers while a picture is taken. Each follows its
 * element while the page scrolls and ends with its call, with the turn, or after its time.
 */
import { Layer } from "./layer";
import { type Box, placeBox, placeCallout, placeOutline, zoomOf } from "./placing";

/** Why something is drawn, which says when it goes: with its call, or with the turn. */
export type MarkLife = { call: string } | { seconds: number };

/** A cover goes with its call, or after its time at the latest. */
export interface CoverLife {
  call: string;
  milliseconds: number;
}

interface Mark {
  life: MarkLife | CoverLife;
  drawings: HTMLElement[];
  /** Puts the drawings where they belong; false when there is nothing left to mark. */
  place(): boolean;
  timer?: ReturnType<typeof setTimeout>;
}

/** A badge: what goes on, and how to stop it. */
export interface BadgeText {
  text: string;
  stop: string;
}

/** Marks on the page at once; the oldest goes first. */
const MARKS_MAX = 30;

/** All marks of one document. */
export class Marks {
  readonly #view: Window;
  readonly #layer: Layer;
  #marks: Mark[] = [];
  #frame = 0;

  constructor(view: Window) {
    this.#view = view;
    this.#layer = new Layer(view.document);
  }

  /** Outlines an element, with a callout beside it if there is a text. Returns why nothing is shown, or "". */
  mark(element: Element, life: MarkLife, text = ""): string {
    if (!element.isConnected) return "the element is not on the page any more";
    const outline = this.#drawing("outline");
    const callout = text === "" ? null : this.#drawing("callout");
    if (callout !== null) {
      callout.textContent = text;
      callout.setAttribute("role", "note");
      callout.dir = "auto";
    }
    const place = () => {
      if (!element.isConnected) return false;
      const box = element.getBoundingClientRect();
      placeOutline(outline, box);
      if (callout !== null) placeCallout(callout, box, this.#view);
      return true;
    };
    const drawings = callout === null ? [outline] : [outline, callout];
    if (!this.#add({ life, drawings, place })) return "the page has no room for drawings";
    const { width, height } = element.getBoundingClientRect();
    return width === 0 && height === 0 ? "the element takes no room on the page" : "";
  }

  /** Shows the badge; only a person's own press on its button counts. */
  badge(call: string, { text, stop }: BadgeText, onStop: () => void): void {
    if (this.#hasBadge(call)) return;
    const badge = this.#drawing("badge");
    badge.setAttribute("role", "status");
    const name = this.#view.document.createElement("b");
    name.textContent = "Sidewire";
    const words = this.#view.document.createElement("span");
    words.textContent = text;
    const button = this.#view.document.createElement("button");
    button.type = "button";
    button.textContent = stop;
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      if (event.isTrusted) onStop();
    });
    badge.append(name, words, button);
    this.#add({ life: { call }, drawings: [badge], place: () => true });
  }

  /** Covers some places at once and opaquely; false where the page has no room for drawings. */
  cover(life: CoverLife, boxes: () => Box[]): boolean {
    const covers = this.#drawing("covers");
    const place = () => {
      const cover = boxes().map((box) => {
        const drawing = this.#drawing("cover");
        placeBox(drawing, box, zoomOf(covers));
        return drawing;
      });
      covers.replaceChildren(...cover);
      return true;
    };
    const added = this.#add({ life, drawings: [covers], place });
    // The former ones go only now, so that nothing shows in between.
    this.#drop((mark) => mark.drawings[0] !== covers && isCoverOf(mark, life.call));
    return added;
  }

  /** Whether covers of a call are on the page. */
  has(call: string): boolean {
    return this.#marks.some((mark) => isCoverOf(mark, call) && mark.drawings[0]?.isConnected === true);
  }

  /** Removes what was drawn for a call; with a class, only that. */
  end(call: string, kind?: string): void {
    const fits = ({ drawings }: Mark) => kind === undefined || drawings.some((each) => each.className === kind);
    this.#drop((mark) => "call" in mark.life && mark.life.call === call && fits(mark));
  }

  #hasBadge(call: string): boolean {
    return this.#marks.some(
      ({ life, drawings: [first] }) => "call" in life && life.call === call && first?.className === "badge",
    );
  }

  /** Removes everything that was drawn for calls: nobody is left to end them. */
  cut(): void {
    this.#drop(({ life }) => "call" in life);
  }

  /** Removes everything that a turn has drawn. */
  clear(): void {
    this.#drop((mark) => "seconds" in mark.life);
  }

  /** Removes everything. */
  close(): void {
    this.#drop(() => true);
  }

  #drawing(kind: string): HTMLElement {
    const drawing = this.#view.document.createElement("div");
    drawing.className = kind;
    return drawing;
  }

  #add(mark: Mark): boolean {
    const how = "milliseconds" in mark.life ? "at once" : "fading";
    for (const drawing of mark.drawings) if (!this.#layer.add(drawing, how)) return false;
    this.#marks.push(mark);
    const time = timeOf(mark.life);
    if (time !== null) mark.timer = setTimeout(() => this.#drop((each) => each === mark), time);
    const oldest = this.#marks.find(({ life }) => !("milliseconds" in life));
    if (this.#marks.length > MARKS_MAX) this.#drop((each) => each === oldest);
    mark.place();
    this.#follow();
    return true;
  }

  #drop(fits: (mark: Mark) => boolean): void {
    const gone = this.#marks.filter(fits);
    if (gone.length === 0) return;
    this.#marks = this.#marks.filter((mark) => !gone.includes(mark));
    for (const mark of gone) {
      clearTimeout(mark.timer);
      for (const drawing of mark.drawings) this.#layer.remove(drawing);
    }
  }

  /** Keeps everything in its place at each painted frame, as long as there is something. */
  #follow(): void {
    this.#view.cancelAnimationFrame(this.#frame);
    this.#frame = this.#view.requestAnimationFrame(() => {
      if (this.#marks.length === 0) return;
      if (!this.#layer.keep()) return this.close();
      this.#drop((mark) => !mark.place());
      this.#follow();
    });
  }
}

function timeOf(life: MarkLife | CoverLife): number | null {
  if ("milliseconds" in life) return life.milliseconds;
  return "seconds" in life ? life.seconds * 1000 : null;
}

function isCoverOf({ life }: Mark, call: string): boolean {
  return "milliseconds" in life && life.call === call;
}

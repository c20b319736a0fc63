/** What an element inherits from its surroundings during the walk. */
import type { Rect } from "./visibility";
import { clipsAway, clipsOverflow, intersection, isParked, overlaps } from "./visibility";
import type { Surroundings } from "./weights";
import { REGION_WORTH } from "./weights";

/** Inherited facts; a scene is never changed, only derived from. */
export interface Scene extends Surroundings {
  /** The visible part of the viewport here; null where there is no layout. */
  clip: Rect | null;
  /** Height of the viewport, for distances. */
  height: number;
  /** An ancestor node says already that all this is off-screen. */
  marked: boolean;
  /** Nothing here is painted; text counts only as part of a name. */
  quiet: boolean;
  /** Text directly here is not painted at all. */
  silent: boolean;
  /** Text here is the label of a control and is said by it. */
  claimed: boolean;
  /** Inside the fallback content of a canvas, which has no boxes. */
  fallback: boolean;
  /** Inside a table that is only layout. */
  layoutTable: boolean;
}

/** Parts of a line or a row: without a style of their own they lie where their parent lies. */
const PARTS = new Set(
  "a abbr b bdi cite code em i kbd label mark q s samp small span strong sub sup td th time u var".split(" "),
);
/** These have no overflow of their own. */
const TABLE_TAGS = new Set("table tbody thead tfoot tr".split(" "));

/** The scene inside an element, from its box. Boxes are what a walk spends its time on, so it asks for few. */
export function placedScene(scene: Scene, element: Element): Scene {
  if (scene.clip === null || scene.fallback) return scene;
  const styled = isStyled(element);
  if (!styled && PARTS.has(element.localName)) return scene;
  const box = element.getBoundingClientRect();
  const empty = box.width === 0 || box.height === 0;
  const beyond = box.right <= 0 || box.bottom <= 0;
  const quiet =
    scene.quiet || clipsAway(element, box) || (beyond && !empty && !scene.offscreen && isParked(element, box));
  const offscreen = scene.marked || (empty ? scene.offscreen : !overlaps(box, scene.clip));
  const distance = offscreen ? distanceTo(box, scene) : 0;
  const mayClip = styled && element.firstElementChild !== null && !TABLE_TAGS.has(element.localName);
  const clip = mayClip && clipsOverflow(element) ? intersection(scene.clip, box) : scene.clip;
  const same =
    quiet === scene.quiet && offscreen === scene.offscreen && clip === scene.clip && distance === scene.distance;
  return same ? scene : { ...scene, quiet, offscreen, distance, clip };
}

/** Whether a style can single this element out. */
function isStyled(element: Element): boolean {
  return element.hasAttribute("class") || element.hasAttribute("style") || element.id !== "";
}

function distanceTo(box: Rect, scene: Scene): number {
  const clip = scene.clip;
  if (clip === null || scene.height === 0) return 0;
  return Math.max(0, box.top - clip.bottom, clip.top - box.bottom) / scene.height;
}

/** The scene inside a node of this role. `modal`: a dialog stands over the page. */
export function regionScene(scene: Scene, role: string, modal: boolean): Scene {
  const worth = REGION_WORTH.get(role);
  if (worth === undefined) return scene;
  const inDialog = scene.region >= (REGION_WORTH.get("dialog") ?? 0);
  const behind = modal && role !== "dialog" && role !== "alertdialog" ? 20 : 0;
  return inDialog ? scene : { ...scene, region: worth - behind };
}

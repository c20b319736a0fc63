/**
 * What the service worker and the content scripts say to each other, with a guard for each message.
 *
 * A renderer may be taken over by its page, so the service worker rebuilds every node from known members instead of
 * trusting what arrives.
 */
import { isRecord } from "../shared/guards";
import type { FrameSpot } from "./page/frames";
import { clip } from "./text";
import type { AxNode, FlatTree } from "./tree";

/** Service worker → content scripts: read the page. `children` is a broadcast, answered by a message of its own. */
export interface CaptureAsk {
  kind: "sidewire-capture";
  /** Names this capture; a frame answers it once. */
  token: string;
  frames: "main" | "children";
}

/** Service worker → content script of the main frame: is there a captured API response, and a selection? */
export interface PageStateAsk {
  kind: "sidewire-page-state";
}

export interface PageStateReply {
  kind: "sidewire-page-state";
  /** The hook was there before the page's first request. */
  hooked: boolean;
  captured: boolean;
  selection: boolean;
}

/** An API response that the page received, redacted. It comes from the page's own world: untrusted. */
export interface PageResponse {
  url: string;
  status: number;
  resourceType: string | null;
  body: unknown;
  truncated: boolean;
}

/** Content script → service worker: one document. */
export interface FrameReply {
  kind: "sidewire-frame";
  token: string;
  /** Positions in `window.frames` from the top window down; [] is the main frame. */
  path: number[];
  url: string;
  title: string;
  /** A document of the browser's own viewers (PDF and the like), not a page. */
  viewer: boolean;
  tree: FlatTree;
  frames: FrameSpot[];
  /** Nodes before trimming. */
  seen: number;
  cut: boolean;
  api: PageResponse | null;
}

const NODES_MAX = 50_000;
const FRAMES_MAX = 200;
const URL_MAX = 8192;

/** True for a message that asks this content script for something. */
export function isAsk(value: unknown): value is CaptureAsk | PageStateAsk {
  if (!isRecord(value)) return false;
  if (value["kind"] === "sidewire-page-state") return true;
  const known = value["frames"] === "main" || value["frames"] === "children";
  return value["kind"] === "sidewire-capture" && typeof value["token"] === "string" && known;
}

/** Reads what a main frame says of its page. */
export function pageStateReply(value: unknown): PageStateReply | null {
  if (!isRecord(value) || value["kind"] !== "sidewire-page-state") return null;
  const { hooked, captured, selection } = value;
  return {
    kind: "sidewire-page-state",
    hooked: hooked === true,
    captured: captured === true,
    selection: selection === true,
  };
}

/** Reads a frame's answer, rebuilding it from known members; null for anything else. */
export function frameReply(value: unknown, token: string): FrameReply | null {
  if (!isRecord(value) || value["kind"] !== "sidewire-frame" || value["token"] !== token) return null;
  const { url, title, path } = value;
  const tree = flatTree(value["tree"]);
  if (typeof url !== "string" || typeof title !== "string" || !isPath(path) || tree === null) return null;
  return {
    kind: "sidewire-frame",
    token,
    path,
    url: clip(url, URL_MAX),
    title: clip(title, 1000),
    viewer: value["viewer"] === true,
    tree,
    frames: frameSpots(value["frames"], tree.nodes.length),
    seen: isCount(value["seen"]) ? value["seen"] : tree.nodes.length,
    cut: value["cut"] === true,
    api: pageResponse(value["api"]),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function isPath(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= 32 && value.every((step) => step === -1 || isCount(step));
}

function frameSpots(value: unknown, nodes: number): FrameSpot[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, FRAMES_MAX).flatMap((spot: unknown) => {
    if (!isRecord(spot) || !isCount(spot["node"]) || spot["node"] >= nodes) return [];
    const position = isCount(spot["position"]) ? spot["position"] : -1;
    return typeof spot["url"] === "string" ? [{ node: spot["node"], position, url: clip(spot["url"], URL_MAX) }] : [];
  });
}

function pageResponse(value: unknown): PageResponse | null {
  if (!isRecord(value)) return null;
  const { url, status, resourceType, body } = value;
  if (typeof url !== "string" || !url.startsWith("/") || !isCount(status) || status > 999) return null;
  return {
    url: clip(url, URL_MAX),
    status,
    resourceType: typeof resourceType === "string" ? clip(resourceType, 100) : null,
    body,
    truncated: value["truncated"] === true,
  };
}

function flatTree(value: unknown): FlatTree | null {
  if (!isRecord(value)) return null;
  const { nodes, parents, weights } = value;
  if (!Array.isArray(nodes) || !Array.isArray(parents) || !Array.isArray(weights)) return null;
  if (nodes.length === 0 || nodes.length > NODES_MAX) return null;
  const tree: FlatTree = { nodes: [], parents: [], weights: [] };
  for (const [index, raw] of nodes.entries()) {
    const node = axNode(raw);
    const parent: unknown = parents[index];
    const weight: unknown = weights[index];
    const rooted = index === 0 ? parent === -1 : isCount(parent) && parent < index;
    if (node === null || !rooted || typeof parent !== "number" || typeof weight !== "number") return null;
    tree.nodes.push(node);
    tree.parents.push(parent);
    tree.weights.push(Number.isFinite(weight) ? weight : 0);
  }
  return tree;
}

const TEXTS = ["name", "ref", "value"] as const;
const LATER_TEXTS = ["current", "description", "url", "selection"] as const;
const COUNTS = ["level", "omitted", "rowCount"] as const;
const THREE_STATES = ["checked", "pressed"] as const;
const FLAGS = ["disabled", "selected", "required", "readonly", "invalid", "focused", "offscreen"] as const;
const TEXT_MAX = 4096;

/** A node made of the known members of `raw`. */
function axNode(raw: unknown): AxNode | null {
  if (!isRecord(raw) || typeof raw["role"] !== "string") return null;
  const node: AxNode = { role: clip(raw["role"], 40) };
  copyTexts(raw, node, TEXTS);
  for (const key of COUNTS) if (isCount(raw[key])) node[key] = raw[key];
  for (const key of THREE_STATES) if (typeof raw[key] === "boolean" || raw[key] === "mixed") node[key] = raw[key];
  if (typeof raw["expanded"] === "boolean") node.expanded = raw["expanded"];
  for (const key of FLAGS) if (raw[key] === true) node[key] = true;
  copyTexts(raw, node, LATER_TEXTS);
  return node;
}

function copyTexts(
  raw: Record<string, unknown>,
  node: AxNode,
  keys: readonly ("name" | "ref" | "value" | "current" | "description" | "url" | "selection")[],
): void {
  for (const key of keys) {
    const text = raw[key];
    if (typeof text === "string" && text !== "") node[key] = clip(text, TEXT_MAX);
  }
}

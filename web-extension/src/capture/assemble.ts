/**
 * Makes the snapshot of the wire from what the frames of a tab gave: exactly the fields of the contract, within the
 * budget of bytes, with nothing in it that redaction would hide.
 */
import type { Capture } from "./api";
import { trimBody } from "./body";
import type { Merged } from "./merge";
import type { PageResponse } from "./messages";
import { redactedPointers, redactJson, redactText, redactUrl } from "./redact";
import { clip, jsonBytes, tidy } from "./text";
import type { AxNode, FlatTree } from "./tree";
import { nest } from "./tree";
import { treeBytes, trim } from "./trim";

/** Bytes of a whole snapshot as JSON in UTF-8 (decision 47). */
export const SNAPSHOT_BYTES = 64 * 1024;
const URL_MAX = 2048;
const TITLE_MAX = 300;
/** Where both are too large, the tree gets this part and the API body the rest. */
const TREE_SHARE = 0.6;
/** Room for members that grow after they were measured (`omitted`, commas). */
const SLACK = 64;

/** One page as it was read. */
export interface PageRead {
  tabId: number;
  url: string;
  title: string;
  merged: Merged;
  api: PageResponse | null;
  capturedAt: number;
}

/** Builds the snapshot and the report on what was cut and hidden. */
export function assemble(read: PageRead): Capture {
  const { origin, pathname } = new URL(read.url);
  const path = clip(redactUrl(pathname), URL_MAX);
  const snapshot: Capture["snapshot"] = {
    v: 1,
    capturedAt: read.capturedAt,
    tabId: read.tabId,
    url: origin + path,
    path,
    title: clip(redactText(tidy(read.title.slice(0, URL_MAX))), TITLE_MAX),
    ax: null,
    api: emptyApi(read.api),
    truncated: false,
  };
  const tree = redactedTree(read.merged.tree);
  const body = snapshot.api === null ? null : redactJson(read.api?.body);
  const parts = fitParts(tree, body, SNAPSHOT_BYTES - jsonBytes(snapshot) - SLACK);
  snapshot.ax = nest(parts.tree);
  if (snapshot.api !== null) {
    snapshot.api.body = parts.body;
    snapshot.api.truncated ||= parts.bodyCut;
  }
  snapshot.truncated = parts.treeCut || read.merged.cut || snapshot.api?.truncated === true;
  return {
    snapshot,
    report: reportOn(read.merged, snapshot, parts.tree.nodes.length),
    selection: hasSelection(parts.tree),
  };
}

function emptyApi(api: PageResponse | null): Capture["snapshot"]["api"] {
  if (api === null) return null;
  const { status, resourceType, truncated } = api;
  return { url: clip(redactUrl(api.url), URL_MAX), status, resourceType, body: null, truncated };
}

interface Parts {
  tree: FlatTree;
  treeCut: boolean;
  body: unknown;
  bodyCut: boolean;
}

/** Shares the room by need: what one part leaves, the other may use. */
function fitParts(tree: FlatTree, body: unknown, room: number): Parts {
  const bodyNeed = jsonBytes(body);
  const treeRoom = Math.max(room - bodyNeed, Math.floor(room * TREE_SHARE));
  const fitted = treeBytes(tree) + bodyNeed <= room ? { tree, cut: false } : trim(tree, treeRoom);
  const trimmed = trimBody(body, room - jsonBytes(nest(fitted.tree)));
  return { tree: fitted.tree, treeCut: fitted.cut, body: trimmed.body, bodyCut: trimmed.cut };
}

/** The tree once more through redaction: a frame's answer is not trusted to have done it. */
function redactedTree(tree: FlatTree): FlatTree {
  return { ...tree, nodes: tree.nodes.map(redactedNode) };
}

function redactedNode(node: AxNode): AxNode {
  const copy: AxNode = { ...node };
  for (const member of ["name", "value", "description", "selection"] as const) {
    const text = copy[member];
    if (text !== undefined) copy[member] = redactText(text).toWellFormed();
  }
  if (copy.url !== undefined) copy.url = redactUrl(copy.url);
  return copy;
}

function reportOn(merged: Merged, snapshot: Capture["snapshot"], sent: number): Capture["report"] {
  return {
    bytes: jsonBytes(snapshot),
    budget: SNAPSHOT_BYTES,
    nodesSeen: merged.seen,
    nodesSent: sent,
    redacted: redactedPointers(snapshot),
    frames: merged.frames,
    framesUnreadable: merged.unreadable,
  };
}

function hasSelection(tree: FlatTree): boolean {
  return tree.nodes[0]?.selection !== undefined;
}

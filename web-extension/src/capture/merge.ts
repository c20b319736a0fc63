/** Puts the documents of a tab's frames together into one tree, each under the `iframe` node that shows it. */
import type { FrameReply } from "./messages";
import type { FrameSpot } from "./page/frames";
import type { AxNode, FlatTree } from "./tree";
import { cappedParents } from "./tree";

/** The answer of a frame below the main one. */
export interface ChildReply {
  frameId: number;
  reply: FrameReply;
}

export interface Merged {
  tree: FlatTree;
  /** Documents in the tree. */
  frames: number;
  /** `iframe` nodes whose document could not be read. */
  unreadable: number;
  seen: number;
  cut: boolean;
}

/** What a frame out of view loses against the main document. */
const OUT_OF_VIEW_LOSS = 44;

interface Place {
  reply: FrameReply;
  /** Index of the reply's root in the merged tree. */
  base: number[];
}

/** Merges the main document and its frames; caps the depth (decision 7). */
export function mergeFrames(main: FrameReply, children: readonly ChildReply[]): Merged {
  const left = [...children];
  const tree: FlatTree = {
    nodes: [...main.tree.nodes],
    parents: [...main.tree.parents],
    weights: [...main.tree.weights],
  };
  const merged: Merged = { tree, frames: 1, unreadable: 0, seen: main.seen, cut: main.cut };
  const open: Place[] = [{ reply: main, base: main.tree.nodes.map((_, index) => index) }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    for (const spot of place.reply.frames) {
      const child = takeChild(left, place.reply, spot);
      const home = place.base[spot.node] ?? 0;
      if (child === null) merged.unreadable += 1;
      else open.push({ reply: child.reply, base: graft(merged, home, child) });
    }
  }
  tree.parents = cappedParents(tree.parents);
  return merged;
}

/** Finds, and takes out, the answer of the frame at a spot. */
function takeChild(left: ChildReply[], parent: FrameReply, spot: FrameSpot): ChildReply | null {
  const path = [...parent.path, spot.position].join("/");
  const fitting = left.filter(({ reply }) => reply.path.join("/") === path);
  const named = fitting.find(({ reply }) => reply.url === spot.url);
  // Inside a shadow root there is no position: only the address can tell, and one that fits none tells nothing.
  const found = spot.position < 0 ? named : (named ?? fitting[0]);
  if (found === undefined) return null;
  left.splice(left.indexOf(found), 1);
  return found;
}

/** Appends a frame's nodes below its `iframe` node; returns where each of them went. */
function graft(merged: Merged, home: number, child: ChildReply): number[] {
  const { tree } = merged;
  const { reply, frameId } = child;
  const host = tree.nodes[home];
  const root = reply.tree.nodes[0];
  const top = tree.nodes[0];
  const base = [home];
  const loss = host?.offscreen === true ? OUT_OF_VIEW_LOSS : 0;
  for (const [index, node] of reply.tree.nodes.entries()) {
    if (index === 0) continue;
    base.push(tree.nodes.length);
    tree.nodes.push(node.ref === undefined ? node : { ...node, ref: `f${frameId}${node.ref}` });
    tree.parents.push(base[reply.tree.parents[index] ?? 0] ?? home);
    tree.weights.push((reply.tree.weights[index] ?? 0) - loss);
  }
  if (host !== undefined) tree.nodes[home] = adopted(host, root);
  if (top !== undefined && root?.selection !== undefined) top.selection ??= root.selection;
  merged.frames += 1;
  merged.seen += reply.seen - 1;
  merged.cut ||= reply.cut;
  return base;
}

/** The `iframe` node takes over what its document's root says. */
function adopted(host: AxNode, root: AxNode | undefined): AxNode {
  const node: AxNode = { ...host };
  if (node.name === undefined && root?.name !== undefined) node.name = root.name;
  if (root?.omitted !== undefined) node.omitted = root.omitted;
  return node;
}

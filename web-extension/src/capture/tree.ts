/**
 * The accessibility tree of a snapshot, in two shapes.
 *
 * Inside capture it is flat (pre-order, each node with the index of its parent), so that no depth can overflow a
 * stack and weights travel beside the nodes. `nest` makes the nested shape of the wire.
 */

/** One node of the wire's tree; absent members are false or empty. */
export type AxNode = {
  role: string;
  name?: string;
  ref?: string;
  value?: string;
  level?: number;
  checked?: boolean | "mixed";
  pressed?: boolean | "mixed";
  disabled?: true;
  expanded?: boolean;
  selected?: true;
  required?: true;
  readonly?: true;
  invalid?: true;
  focused?: true;
  current?: string;
  description?: string;
  url?: string;
  /** It and everything in it lies outside the viewport. */
  offscreen?: true;
  /** On the root: the text the person selected. */
  selection?: string;
  /** How many children were cut. */
  omitted?: number;
  rowCount?: number;
  children?: AxNode[];
};

/** A tree in pre-order; `parents[0]` is -1. Nodes carry no `children` here. */
export interface FlatTree {
  nodes: AxNode[];
  parents: number[];
  /** How much each node matters; decides what is kept when the tree is too large. */
  weights: number[];
}

/** Deepest level of a nested tree, the root being level 1 (decision 7). */
export const MAX_DEPTH = 32;

/** An empty tree with its root. */
export function rootedTree(root: AxNode): FlatTree {
  return { nodes: [root], parents: [-1], weights: [Number.MAX_SAFE_INTEGER] };
}

/** Parents after the depth cap: what lies too deep is promoted to the deepest level, never lost. */
export function cappedParents(parents: readonly number[]): number[] {
  const depths: number[] = [];
  const capped: number[] = [];
  for (const [index, parent] of parents.entries()) {
    if (index === 0 || parent < 0 || parent >= index) {
      capped.push(index === 0 ? -1 : 0);
      depths.push(index === 0 ? 1 : 2);
      continue;
    }
    const tooDeep = (depths[parent] ?? 1) >= MAX_DEPTH;
    const home = tooDeep ? (capped[parent] ?? 0) : parent;
    capped.push(home);
    depths.push((depths[home] ?? 1) + 1);
  }
  return capped;
}

/** The nodes that are kept as a tree of their own, and where each old node went (-1: cut). */
export interface Compacted {
  tree: FlatTree;
  moved: number[];
}

/** Leaves out what is not kept, counting the cut children in `omitted` of their parent. */
export function compact(tree: FlatTree, kept: readonly boolean[]): Compacted {
  const slim: FlatTree = { nodes: [], parents: [], weights: [] };
  const moved: number[] = [];
  for (const [index, node] of tree.nodes.entries()) {
    const parent = moved[tree.parents[index] ?? -1] ?? -1;
    const home = slim.nodes[parent];
    if (kept[index] === true || index === 0) {
      moved.push(slim.nodes.length);
      slim.nodes.push({ ...node });
      slim.parents.push(parent);
      slim.weights.push(tree.weights[index] ?? 0);
    } else {
      moved.push(-1);
      if (home !== undefined) home.omitted = (home.omitted ?? 0) + 1;
    }
  }
  return { tree: slim, moved };
}

/** Builds the nested tree of the wire. */
export function nest(tree: FlatTree): AxNode {
  const built = tree.nodes.map((node): AxNode => ({ ...node }));
  for (const [index, node] of built.entries()) {
    const home = built[tree.parents[index] ?? -1];
    if (home === undefined) continue;
    home.children ??= [];
    home.children.push(node);
  }
  return built[0] ?? { role: "WebArea" };
}

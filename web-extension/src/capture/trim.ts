/**
 * Trims a tree to a budget of bytes by importance.
 *
 * A node is kept only together with its ancestors; the most important nodes choose first, so a page too large loses
 * its far and low-value leaves and never its structure.
 */
import { jsonBytes } from "./text";
import type { AxNode, Compacted, FlatTree } from "./tree";
import { compact } from "./tree";

/** `,"children":[]` and `,"omitted":12345`. */
const PARENT_OVERHEAD = 29;

export interface Trimmed extends Compacted {
  cut: boolean;
}

/** An upper bound of the bytes of a tree on the wire. */
export function treeBytes(tree: FlatTree): number {
  return sum(costsOf(tree));
}

/** Keeps what fits into `budget` bytes of JSON; the root always stays. */
export function trim(tree: FlatTree, budget: number): Trimmed {
  const costs = costsOf(tree);
  if (sum(costs) <= budget) return { tree, moved: costs.map((_, index) => index), cut: false };
  const kept = costs.map((_, index) => index === 0);
  const missing = (at: number) => at >= 0 && kept[at] !== true;
  let left = budget - (costs[0] ?? 0);
  for (const index of byImportance(tree.weights)) {
    // The node comes with those of its ancestors that are not kept yet.
    let price = 0;
    for (let at = index; missing(at) && price <= left; at = tree.parents[at] ?? -1) price += costs[at] ?? 0;
    if (price > left) continue;
    for (let at = index; missing(at); at = tree.parents[at] ?? -1) kept[at] = true;
    left -= price;
  }
  return { ...compact(tree, kept), cut: true };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** An upper bound of each node's own bytes on the wire. */
function costsOf(tree: FlatTree): number[] {
  const costs = tree.nodes.map((node: AxNode) => jsonBytes(node) + 1);
  const seen = new Set<number>();
  for (const parent of tree.parents) {
    if (parent < 0 || seen.has(parent)) continue;
    seen.add(parent);
    costs[parent] = (costs[parent] ?? 0) + PARENT_OVERHEAD;
  }
  return costs;
}

function byImportance(weights: readonly number[]): number[] {
  const order = weights.map((_, index) => index);
  return order.sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
}

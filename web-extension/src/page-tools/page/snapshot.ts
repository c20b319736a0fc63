/** page_snapshot: a part of the page as capture reads it, as indented lines within a budget of bytes. */
import type { PageTree } from "../../capture/page/walk";
import { walkPage } from "../../capture/page/walk";
import { utf8Bytes } from "../../capture/text";
import type { AxNode, FlatTree } from "../../capture/tree";
import { rootedTree } from "../../capture/tree";
import { trim } from "../../capture/trim";
import { DEFAULTS } from "../frame-arguments";
import type { FrameDone } from "../messages";
import { numberArgument } from "./arguments";
import { holds } from "./composed";
import { spokenOf } from "./describe";
import { ToolFault } from "./fault";
import type { Job, PageTool } from "./job";
import { done } from "./job";

export const pageSnapshot: PageTool = { target: "maybe", limit: 6000, run };

/** A tree as JSON takes this much more than as lines. */
const JSON_SHARE = 2.4;
const DEPTH_MAX = 24;

function run({ view, args, target, prefix }: Job): FrameDone {
  const bytes = numberArgument(args, "bytes", DEFAULTS.bytes);
  const page = walkPage(view);
  const part = target === null ? page.tree : partOf(page, target);
  if (part.nodes.length < 2) throw new ToolFault("no-such-element", "there is nothing to read in it");
  const lines = fitting(part, bytes, prefix);
  return done(target === null ? "" : `In ${spokenOf(target)}:`, ...lines);
}

/** The nodes of an element and of what is inside it. */
function partOf({ tree, elements }: PageTree, target: Element): FlatTree {
  const part = rootedTree({ role: "part" });
  const moved = new Map<number, number>();
  for (const [index, node] of tree.nodes.entries()) {
    const element = elements[index];
    const home = moved.get(tree.parents[index] ?? -1);
    const inside = home !== undefined || (element !== null && element !== undefined && holds(target, element));
    if (!inside || index === 0) continue;
    moved.set(index, part.nodes.length);
    part.nodes.push(node);
    part.parents.push(home ?? 0);
    part.weights.push(tree.weights[index] ?? 0);
  }
  return part;
}

/** As much of a tree as fits, the most important first. */
function fitting(tree: FlatTree, bytes: number, prefix: string): string[] {
  for (let share = JSON_SHARE; share > 0.5; share *= 0.8) {
    const { tree: kept, cut } = trim(tree, bytes * share);
    const lines = linesOf(kept, prefix);
    if (cut) lines.push("(more was left out; ask for a part of it by ref)");
    if (utf8Bytes(lines.join("\n")) <= bytes) return lines;
  }
  const lines = linesOf(trim(tree, bytes / 2).tree, prefix);
  while (lines.length > 1 && utf8Bytes(lines.join("\n")) > bytes) lines.pop();
  return lines;
}

function linesOf(tree: FlatTree, prefix: string): string[] {
  const depths: number[] = [];
  return tree.nodes.flatMap((node, index) => {
    const depth = index === 0 ? -1 : (depths[tree.parents[index] ?? 0] ?? -1) + 1;
    depths.push(depth);
    return index === 0 ? [] : [`${"  ".repeat(Math.min(depth, DEPTH_MAX))}${lineOf(node, prefix)}`];
  });
}

function lineOf(node: AxNode, prefix: string): string {
  const { role, name, value, ref } = node;
  const parts = [role === "text" ? "" : role];
  if (name !== undefined) parts.push(role === "text" ? name : `"${name}"`);
  if (value !== undefined) parts.push(`= "${value}"`);
  const states = statesOf(node);
  if (states.length > 0) parts.push(`(${states.join(", ")})`);
  if (ref !== undefined) parts.push(`[${prefix}${ref}]`);
  return parts.filter((part) => part !== "").join(" ");
}

const FLAGS = ["disabled", "selected", "required", "readonly", "invalid", "focused"] as const;

function statesOf(node: AxNode): string[] {
  const { level, checked, pressed, expanded, description, omitted, offscreen } = node;
  const states: string[] = FLAGS.filter((flag) => node[flag] === true);
  if (level !== undefined) states.unshift(`level ${level}`);
  if (checked !== undefined) states.push(checked === "mixed" ? "mixed" : checked ? "checked" : "not checked");
  if (pressed !== undefined) states.push(pressed === "mixed" ? "mixed" : pressed ? "pressed" : "not pressed");
  if (expanded !== undefined) states.push(expanded ? "open" : "closed");
  if (description !== undefined) states.push(description);
  if (omitted !== undefined) states.push(`${omitted} more`);
  if (offscreen === true) states.push("out of view");
  return states;
}

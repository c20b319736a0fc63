/** The accessibility tree of a page as an indented list a person can read. */
import { counted, t } from "../i18n";
import { visibleText } from "../visible-text";
import { Marked } from "./JsonText";

/** Members that have a place of their own in a line. */
const PLACED: ReadonlySet<string> = new Set(["role", "name", "value", "children", "omitted", "selection"]);

interface PageNode {
  role: string;
  [attribute: string]: unknown;
}

/** The tree, all of it: what is not shown is not sent. */
export function PageTree({ root }: { root: PageNode }) {
  return (
    <ul class="tree">
      <Branch node={root} />
    </ul>
  );
}

function Branch({ node }: { node: PageNode }) {
  const children = childrenOf(node);
  return (
    <li>
      <Line node={node} />
      {children.length > 0 && (
        <ul>
          {children.map((child, index) => (
            <Branch key={index} node={child} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Line({ node }: { node: PageNode }) {
  const name = textOf(node["name"]);
  const value = textOf(node["value"]);
  const selection = textOf(node["selection"]);
  const omitted: unknown = node["omitted"];
  return (
    <span class="tree-line">
      <span class="tree-role">{node.role}</span>
      {name !== "" && (
        <span class="tree-name">
          <Marked text={name} />
        </span>
      )}
      {value !== "" && (
        <span class="tree-value">
          <Marked text={value} />
        </span>
      )}
      {othersOf(node).map((other) => (
        <span key={other} class="tree-state">
          {other}
        </span>
      ))}
      {selection !== "" && <span class="tree-selection">{t("treeSelection", visibleText(selection))}</span>}
      {typeof omitted === "number" && <span class="tree-omitted">{counted("treeOmitted", omitted)}</span>}
    </span>
  );
}

/** Everything else that is sent with a node: a flag by its name, a value with it. */
function othersOf(node: PageNode): string[] {
  const others = Object.entries(node).filter(([key]) => !PLACED.has(key));
  return others.map(([key, value]) => (value === true ? key : visibleText(`${key}=${JSON.stringify(value)}`)));
}

function childrenOf(node: PageNode): PageNode[] {
  const children: unknown = node["children"];
  return Array.isArray(children) ? children.filter(isNode) : [];
}

function isNode(value: unknown): value is PageNode {
  return typeof value === "object" && value !== null && "role" in value && typeof value.role === "string";
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

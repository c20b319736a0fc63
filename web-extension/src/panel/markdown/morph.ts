/**
 * Changes the children of a node into those of a fragment while keeping whatever is equal, so that a selection, a
 * scroll position inside a code block or a focused button survives the next delta.
 */

/** Makes `target` hold what `source` holds; nodes are moved out of `source` where they are new. */
export function morphChildren(target: Node, source: Node): void {
  const wanted = [...source.childNodes];
  for (const [index, node] of wanted.entries()) {
    const present = target.childNodes[index];
    if (present === undefined) target.appendChild(node);
    else if (!morphNode(present, node)) target.replaceChild(node, present);
  }
  while (target.childNodes.length > wanted.length) target.lastChild?.remove();
}

/** True if `present` could be changed in place. */
function morphNode(present: Node, wanted: Node): boolean {
  if (present instanceof Text && wanted instanceof Text) {
    morphText(present, wanted.data);
    return true;
  }
  if (!(present instanceof Element && wanted instanceof Element) || present.nodeName !== wanted.nodeName) return false;
  morphAttributes(present, wanted);
  morphChildren(present, wanted);
  return true;
}

function morphText(present: Text, data: string): void {
  if (data === present.data) return;
  if (data.startsWith(present.data)) present.appendData(data.slice(present.data.length));
  else present.data = data;
}

function morphAttributes(present: Element, wanted: Element): void {
  for (const name of present.getAttributeNames()) if (!wanted.hasAttribute(name)) present.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (present.getAttribute(name) !== value) present.setAttribute(name, value);
}

import { type Document, isCollection, isMap, isNode, isScalar, type LineCounter, type Node } from "yaml";

/** Returns a function that returns the line of a field such as `tools[0].name`, else that of its parent. */
export function fieldLines(document: Document, lines: LineCounter): (field: string | null) => number {
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line;
  return (field) => {
    let offset = startOf(document.contents) ?? document.range?.[0];
    let node: unknown = document.contents;
    for (const step of stepsOf(field)) {
      if (!isCollection(node)) break;
      const next = node.get(step, true);
      const start = keyStart(node, step) ?? startOf(next);
      if (start === undefined) break;
      offset = start;
      node = next;
    }
    return lineAt(offset);
  };
}

function stepsOf(field: string | null): (string | number)[] {
  const steps = [...(field ?? "").matchAll(/\[(\d+)\]|[^.[\]]+/g)];
  return steps.map(([name, index]) => (index === undefined ? name : Number(index)));
}

/** Returns where the key of a pair begins, since a value can begin on a later line. */
function keyStart(node: Node, key: string | number): number | undefined {
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => (isScalar(item.key) ? item.key.value : item.key) === key);
  return startOf(pair?.key);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

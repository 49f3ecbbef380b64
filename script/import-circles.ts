import { dirname, join, normalize } from "node:path";

/** An import statement. `file` is relative to the repository, `specifier` as written. */
export type Import = { file: string; specifier: string };

/**
 * Returns one line for each import cycle between files, with one import for each step. Imports of types and
 * dynamic imports count.
 */
export function fileCircles(imports: readonly Import[]): string[] {
  return circlesOf("files", imports, (file) => file);
}

/** Returns the same for folders. `index.ts` is the door of its package and belongs to no folder. */
export function folderCircles(imports: readonly Import[]): string[] {
  const inFolders = imports.filter(({ file }) => !file.endsWith("/src/index.ts"));
  return circlesOf("folders", inFolders, dirname);
}

function circlesOf(kind: string, imports: readonly Import[], placeOf: (file: string) => string): string[] {
  const steps = new Map<string, Map<string, Import>>();
  for (const found of imports) {
    if (!found.specifier.startsWith(".")) continue;
    const from = placeOf(found.file);
    const to = placeOf(normalize(join(dirname(found.file), found.specifier)));
    if (from === to) continue;
    const onward = steps.get(from) ?? new Map<string, Import>();
    steps.set(from, onward.set(to, onward.get(to) ?? found));
  }
  return circles(steps).map((circle) => `circle of ${kind}: ${describeCircle(circle, steps)}`);
}

/** Returns the shortest cycle through each place that is in one, each cycle once. */
function circles(steps: ReadonlyMap<string, ReadonlyMap<string, Import>>): string[][] {
  const known = new Set<string>();
  const found: string[][] = [];
  for (const start of [...steps.keys()].sort()) {
    if (known.has(start)) continue;
    const circle = shortestCircle(start, steps);
    if (circle === null) continue;
    for (const place of circle) known.add(place);
    found.push(circle);
  }
  return found;
}

function shortestCircle(
  start: string,
  steps: ReadonlyMap<string, ReadonlyMap<string, Import>>,
): string[] | null {
  const paths: string[][] = [[start]];
  const seen = new Set<string>();
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    for (const next of steps.get(path.at(-1) ?? "")?.keys() ?? []) {
      if (next === start) return path;
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return null;
}

function describeCircle(
  circle: readonly string[],
  steps: ReadonlyMap<string, ReadonlyMap<string, Import>>,
): string {
  const lines = circle.map((place, index) => {
    const next = circle[(index + 1) % circle.length] ?? "";
    const found = steps.get(place)?.get(next);
    return `${found?.file} imports ${found?.specifier}`;
  });
  return `${circle.join(" → ")} → ${circle[0]} (${lines.join("; ")})`;
}

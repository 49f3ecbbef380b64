import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { REQUIREMENTS } from "./requirements.ts";

const DIRECTORIES = [
  "./scenarios/",
  "../console/",
  "../upgrade/",
  "../guides/",
  "../kubernetes/",
  "../many-machines/",
].map((path) => new URL(path, import.meta.url));
const CITATIONS = DIRECTORIES.flatMap((directory) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .flatMap((name) => citationsIn(readFileSync(new URL(name, directory), "utf8"))),
);

test("every requirement is cited by a test", () => {
  const cited = new Set(CITATIONS);
  assert.deepEqual(
    REQUIREMENTS.map(({ id }) => id).filter((id) => !cited.has(id)),
    [],
  );
});

test("every citation names a requirement", () => {
  const known = new Set(REQUIREMENTS.map(({ id }) => id));
  assert.deepEqual(
    CITATIONS.filter((id) => !known.has(id)),
    [],
  );
});

test("requirement ids are unique", () => {
  assert.equal(new Set(REQUIREMENTS.map(({ id }) => id)).size, REQUIREMENTS.length);
});

/** Returns the ids in `covers(["id", …], "title", …)`. */
function citationsIn(source: string): string[] {
  return [...source.matchAll(/\bcovers\(\s*\[([^\]]*)\]/g)].flatMap(([, list]) =>
    [...(list ?? "").matchAll(/"([^"]+)"/g)].flatMap(([, id]) => id ?? []),
  );
}

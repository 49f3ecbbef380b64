import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const DOCUMENTS = globSync(["*.md", "docs/**/*.md", "packages/*/README.md", "bench/*.md"], { cwd: ROOT });
/** Files that name documents by path from the root, in comments and messages. */
const SOURCES = globSync(
  ["deploy/**/*", "script/**/*.ts", "packages/*/{src,scripts}/**/*.{ts,tsx,sh,pl}", ".ci/*"],
  { cwd: ROOT },
).filter((file) => statSync(join(ROOT, file)).isFile());

test("documents: each link to a file of the repository leads to it, and to a heading that it has", () => {
  assert.ok(DOCUMENTS.length > 80);
  const faults = DOCUMENTS.flatMap((file) =>
    linksOf(read(file))
      .filter((link) => !/^[a-z]+:|^\//.test(link))
      .flatMap((link) => faultOf(link.startsWith("#") ? file : join(dirname(file), link), link, file)),
  );
  assert.deepEqual(faults, []);
});

test("sources: each document that a comment or a message names by its path is there, with its heading", () => {
  const faults = SOURCES.flatMap((file) =>
    [...read(file).matchAll(/\b(?:docs\/[\w/-]+|SECURITY|CONTRIBUTING|AGENTS)\.md(?:#[\w-]+)?/g)].flatMap(
      ([link]) => faultOf(link, link, file),
    ),
  );
  assert.deepEqual(faults, []);
});

test("README.md names every guide", () => {
  const named = new Set(linksOf(read("README.md")));
  const guides = globSync("docs/guides/*.md", { cwd: ROOT });
  assert.deepEqual(
    guides.filter((guide) => !named.has(guide)),
    [],
  );
});

test("each package has a README, which names its doors", () => {
  const faults = globSync("packages/*/package.json", { cwd: ROOT }).flatMap((manifest) => {
    const folder = dirname(manifest);
    const readme = read(join(folder, "README.md"));
    const doors = Object.keys(JSON.parse(read(manifest)).exports ?? {});
    // A door may be named alone, or by the folder of `src` that it opens.
    const names = doors.filter((door) => !/^\.$|test-support/.test(door)).map((door) => door.slice(2));
    return names
      .filter((name) => !readme.includes(`/${name}\``) && !readme.includes(`\`${name}/`))
      .map((name) => `${folder}: ${name}`);
  });
  assert.deepEqual(faults, []);
});

test("SECURITY.md names every page of a boundary", () => {
  const named = new Set(linksOf(read("SECURITY.md")).map((link) => link.replace(/#.*$/, "")));
  const pages = globSync("docs/security/*.md", { cwd: ROOT });
  assert.deepEqual(
    pages.filter((page) => !named.has(page)),
    [],
  );
});

test("links: a missing file and a missing heading are found, in code they are none", () => {
  assert.deepEqual(linksOf("[a](b.md#c) `[d](e.md)`\n```\n[f](g.md)\n```\n[h](i.md)"), ["b.md#c", "i.md"]);
  assert.deepEqual(faultOf("docs/none.md", "none.md", "docs/a.md"), ["docs/a.md: none.md: no such file"]);
  assert.deepEqual(faultOf("README.md#none", "#none", "README.md"), ["README.md: #none: no such heading"]);
  assert.deepEqual(headingsOf("## Limits, and `more`\n# A [link](b.md)\n## A\n## A\n"), [
    "limits-and-more",
    "a-link",
    "a",
    "a-1",
  ]);
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Returns the link targets of a document, except those in code. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^( *)```.*?^\1```$/gms, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => target ?? []);
}

/** Checks a link. @param target a path from the root, with a heading if the link has one. */
function faultOf(target: string, link: string, file: string): string[] {
  const [, fragment] = link.split("#");
  const path = target.replace(/#.*$/, "");
  if (!existsSync(join(ROOT, path))) return [`${file}: ${link}: no such file`];
  const isFound =
    fragment === undefined || !path.endsWith(".md") || headingsOf(read(path)).includes(fragment);
  return isFound ? [] : [`${file}: ${link}: no such heading`];
}

/**
 * Returns the ids of a document's headings, as git hosts make them: words in lower case with hyphens,
 * numbered when they recur.
 */
function headingsOf(text: string): string[] {
  const seen = new Map<string, number>();
  const prose = text.replaceAll(/^( *)```.*?^\1```$/gms, "");
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => {
    const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const id = shown.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    const count = seen.get(id) ?? 0;
    seen.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  });
}

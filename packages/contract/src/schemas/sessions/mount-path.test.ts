import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { mountPath, pathsOverlap } from "./mount-path.ts";

/** Implements the rules independently: paths as a file system sees them, and a sandbox's directories. */
function isAllowed(path: string): boolean {
  const bytes = new TextEncoder().encode(path);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  if (text !== path || bytes.length > 1024) return false;
  if (!posix.isAbsolute(path) || posix.normalize(path) !== path) return false;
  if (path.length > 1 && path.endsWith("/")) return false;
  if ([...path].some((character) => /\p{Cc}/u.test(character))) return false;
  if (path.split("/").some((name) => Buffer.from(name).length > 255)) return false;
  const covers = (place: string) => leadsTo(path, place);
  const isIn = (place: string) => leadsTo(place, path);
  return ![...system, ...platform].some((place) => covers(place) || isIn(place)) && !open.some(covers);
}

function leadsTo(directory: string, place: string): boolean {
  return posix.relative(directory, place).split("/")[0] !== "..";
}

const system = "bin boot dev etc lib lib32 lib64 libx32 proc root run sbin sys tmp usr var"
  .split(" ")
  .map((name) => `/${name}`);
const platform = [
  "/mnt/memory",
  "/mnt/skills",
  "/mnt/session/outputs",
  "/mnt/session/bin",
  "/opt/berth",
  "/opt/runtimes",
];
/** Directories of every sandbox: mounts can be inside them, but must not hide them. */
const open = ["/data", "/home/agent", "/mnt/session/uploads"];

const known = [...system, ...platform, ...open, "/", "/mnt", "/mnt/session", "/opt", "/home", "/workspace"];
const character = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(..."abcXYZ019-_. ") },
  fc.constantFrom(
    "\0",
    "\n",
    "\t",
    "\u001b",
    "\u007f",
    "\u0085",
    "\u009f",
    "\u00a0",
    "é",
    "日",
    "😀",
    "\ud800",
    "\\",
    "'",
    "$",
  ),
  fc.string({ unit: "binary", maxLength: 1 }),
);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.array(character, { minLength: 1, maxLength: 8 }).map((list) => list.join("")) },
  { weight: 3, arbitrary: fc.constantFrom(...known.flatMap((place) => place.split("/")).filter(Boolean)) },
  fc.constantFrom("", ".", "..", "...", "..a", ".git"),
  fc.integer({ min: 250, max: 260 }).map((length) => "n".repeat(length)),
  fc.integer({ min: 120, max: 130 }).map((length) => "é".repeat(length)),
);
const below = fc
  .tuple(fc.constantFrom(...known), fc.array(name, { maxLength: 4 }))
  .map(([place, names]) => [place === "/" ? "" : place, ...names].join("/"));
/** Lengths around the maximum, to the byte. */
const long = fc
  .tuple(fc.integer({ min: 1018, max: 1030 }), fc.constantFrom("x", "é"))
  .map(([length, letter]) => {
    const unit = `/${letter.repeat(100)}`;
    const text = `/data${unit.repeat(20)}`;
    let cut = "";
    for (const each of text) {
      if (Buffer.byteLength(cut + each) > length) break;
      cut += each;
    }
    return cut;
  });
const path = fc.oneof(
  { weight: 4, arbitrary: below },
  { weight: 2, arbitrary: fc.array(name, { maxLength: 6 }).map((names) => `/${names.join("/")}`) },
  { weight: 1, arbitrary: long },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: below.map((text) => text.slice(1)) },
  { weight: 1, arbitrary: below.map((text) => `${text}/`) },
);

describe("mount paths", () => {
  test("any path is accepted or rejected as an independent check of the rules says", () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(path, (text) => {
        const allowed = isAllowed(text);
        seen[allowed ? "taken" : "refused"] += 1;
        assert.equal(mountPath.safeParse(text).success, allowed, JSON.stringify(text));
      }),
      { numRuns: 6_000 },
    );
    assert.ok(seen.taken > 500 && seen.refused > 500, JSON.stringify(seen));
  });

  test("an error is one sentence about the field", () => {
    fc.assert(
      fc.property(path, (text) => {
        const messages = mountPath.safeParse(text).error?.issues.map(({ message }) => message) ?? [];
        assert.ok(messages.length <= 1);
        for (const message of messages) assert.match(message, /^Field '\{field\}' must .+\.$/s);
      }),
    );
  });

  test("overlap if they are equal or one contains the other", () => {
    const segment = fc.constantFrom("a", "b", "ab", "a b");
    const some = fc.array(segment, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(some, some, (one, other) => {
        const shared = Math.min(one.length, other.length);
        const expected = one.slice(0, shared).every((part, at) => part === other[at]);
        assert.equal(pathsOverlap(`/${one.join("/")}`, `/${other.join("/")}`), expected);
      }),
      { numRuns: 2_000 },
    );
  });
});

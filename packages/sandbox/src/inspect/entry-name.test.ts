import assert from "node:assert/strict";
import { test } from "node:test";
import { isEntryName, isPathBelow } from "./entry-name.ts";
import { parseEntries } from "./list-directory.ts";
import { parseChanges } from "./parse-changes.ts";

const NAMES = ["a", "...", "..a", ".a", "a..", "-", "\n", "..\\..\\evil.bat", "C:", "\xff", "x".repeat(255)];
const NO_NAMES = ["", ".", "..", "a/b", "../../x", "/", "a\0b", "x".repeat(256)];

test("names: one component of a path, of any bytes that Linux takes", () => {
  for (const name of NAMES) assert.ok(isEntryName(Buffer.from(name, "latin1")), JSON.stringify(name));
  for (const name of NO_NAMES) assert.ok(!isEntryName(Buffer.from(name, "latin1")), JSON.stringify(name));
});

test("paths: names between single slashes", () => {
  for (const path of [...NAMES, "a/b", "a/...", "..a/b"])
    assert.ok(isPathBelow(Buffer.from(path, "latin1")), path);
  for (const path of ["", "/a", "a/", "a//b", "../a", "a/../../b", "./a", "a/.", "a/\0"])
    assert.ok(!isPathBelow(Buffer.from(path)), JSON.stringify(path));
});

test("a listing that has another name → none", () => {
  const listing = (name: string) => Buffer.from(`f\x00644\x005\x001.5\0${name}\0\0end`);
  assert.equal(parseEntries(listing("..\\x"))?.length, 1);
  for (const name of ["../../x", "..", ".", "a/b", "/etc/passwd"])
    assert.equal(parseEntries(listing(name)), null, name);
});

test("changes that have another path → none", () => {
  const changes = (path: string, status = "A") => {
    const raw = `:000000 100644 0000000 1111111 ${status}\0${path}\0`;
    const sections = ["", raw, ""].map((section) => `${section.length}\0${section}`).join("");
    return parseChanges(Buffer.from(`\0main\0found\0yes\0${0}\0${1}\0\0\0${sections}`), 10);
  };
  assert.equal(changes("src/a.ts")?.files.length, 1);
  for (const path of ["../a.ts", "/etc/passwd", "a/../../b", "a//b"]) assert.equal(changes(path), null, path);
  assert.equal(changes("../old\0new", "R100"), null);
});

// Subject: listings that a hostile sandbox prints, for both folders that parse them: memory and outputs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { planReading, type RejectedFiles } from "../memory/detect-changes.ts";
import { parseListing as parseMounted } from "../memory/list-files.ts";
import { parseListing as parseOutputs } from "../outputs/list-outputs.ts";
import { planOutputs } from "../outputs/plan-outputs.ts";

const MEGABYTE = 1024 * 1024;

test("a listing of 16 MiB of NULs → parsed within a second, without entries", () => {
  const before = process.threadCpuUsage();
  const nothing = Buffer.alloc(16 * MEGABYTE);
  assert.deepEqual(parseMounted(nothing, 4_000), { entries: [], complete: false });
  assert.deepEqual(parseOutputs(nothing, 1_000), { outputs: [], more: true, unreadable: false });
  const milliseconds = process.threadCpuUsage(before).user / 1_000;
  assert.ok(milliseconds < 1_000, `${milliseconds} ms`);
});

test("a listing beyond its limit, or cut → the parsers say that it is incomplete", () => {
  const files = (count: number, slash: string) =>
    Array.from({ length: count }, (_, at) => `1 1.5 1.5 7 ${slash}f${at}\0`).join("");
  const mounted = (count: number, end = "\0") => {
    const { entries, complete } = parseMounted(Buffer.from(`9.5\0${files(count, "/")}${end}`), 3);
    return [entries.length, complete];
  };
  assert.deepEqual(
    [mounted(0), mounted(3), mounted(4), mounted(9)],
    [
      [0, true],
      [3, true],
      [3, false],
      [3, false],
    ],
  );
  assert.deepEqual(mounted(3, ""), [3, false]);
  const outputs = (count: number, end = "") => {
    const listing = parseOutputs(Buffer.from(`9.5\0${files(count, "")}${end}`), 3);
    return listing && [listing.outputs.length, listing.more, listing.unreadable];
  };
  assert.deepEqual(
    [outputs(3), outputs(4), outputs(3, "\0- 1\0"), outputs(9), outputs(2, "1 1.5 1.\0- 137\0")],
    [[3, false, false], [3, true, false], [3, false, true], [3, true, false], null],
  );
});

test("a listing that has a path that leads out of its directory → the record is dropped", () => {
  const paths = ["a", "../b", "c/../../d", "/e", "f//g", "h/", "..", "i\\..\\j"];
  const files = (slash: string) => paths.map((path) => `1 1.5 1.5 7 ${slash}${path}\0`).join("");
  const outputs = parseOutputs(Buffer.from(`9.5\0${files("")}`), 10)?.outputs.map(({ path }) => `${path}`);
  assert.deepEqual(outputs, ["a", "i\\..\\j"]);
  const { entries } = parseMounted(Buffer.from(`9.5\0${files("/")}\0`), 10);
  assert.deepEqual(
    entries.map(({ path }) => `${path}`),
    ["/a", "/i\\..\\j"],
  );
});

test("planReading: a rejected file is reported once while it exists, and a name of a megabyte is not remembered", () => {
  const rejected: RejectedFiles = new Map();
  const look = (path: string) => {
    const listing = parseMounted(Buffer.from(`9.5\0${`1 1.5 1.5 7 /${path}`}\0\0`), 10);
    return planReading("/mnt", listing, new Map(), rejected, (text) => text).faults.length;
  };
  assert.deepEqual([look("one\n"), look("one\n"), look("two\n"), look("one\n")], [1, 0, 1, 1]);
  assert.equal(rejected.size, 1);
  assert.equal(look("x".repeat(MEGABYTE)), 0);
  assert.equal(rejected.size, 0);
});

test("planOutputs: a path longer than a row can hold → a fault, and no output", () => {
  const path = Buffer.from("d/".repeat(2_000));
  const output = { path, size: 1, stamp: "1", recent: false };
  const limits = { files: 10, fileBytes: 10, totalBytes: 10 };
  const plan = planOutputs(
    { outputs: [output], more: false, unreadable: false },
    new Map(),
    limits,
    (text) => text,
  );
  assert.equal(plan.rejected.length + plan.taken.length, 0);
  assert.match(plan.faults.join(), /a path of more than 1024 bytes/);
});

test("planOutputs: a path that is listed twice → taken once", () => {
  const listed = ["1", "2"].map((stamp) => ({ path: Buffer.from("same"), size: 1, stamp, recent: false }));
  const limits = { files: 10, fileBytes: 10, totalBytes: 10 };
  const plan = planOutputs(
    { outputs: listed, more: false, unreadable: false },
    new Map(),
    limits,
    (text) => text,
  );
  assert.deepEqual(
    plan.taken.map(({ stamp }) => stamp),
    ["1"],
  );
});

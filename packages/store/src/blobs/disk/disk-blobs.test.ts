import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pieces } from "../../../test-support/pieces.ts";
import type { BlobStore } from "../interface/blob-store.ts";
import { ContentLostError } from "../interface/partial-blob.ts";
import { contentPath, openDiskBlobs } from "./disk-blobs.ts";

async function opened(t: TestContext): Promise<{ blobs: BlobStore; directory: string }> {
  const directory = mkdtempSync(join(tmpdir(), "berth-blobs-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return { blobs: await openDiskBlobs(directory), directory };
}

describe("disk blobs", () => {
  test("removeAbandoned: only contents staged by dead processes of this machine, or unwritten for a day, are removed", async (t) => {
    const { blobs, directory } = await opened(t);
    const staged = await blobs.stage(pieces(randomBytes(10)));
    const partial = join(directory, "partial");
    const former = `import { openDiskBlobs } from ${JSON.stringify(import.meta.resolve("./disk-blobs.ts"))};
      const blobs = await openDiskBlobs(${JSON.stringify(directory)});
      await blobs.stage((async function* () { yield Buffer.from("x"); })());
      process.kill(process.pid, "SIGKILL");`;
    spawnSync(process.execPath, ["--input-type=module", "--eval", former]);
    const elsewhere = `0123456789ab.1.1.${randomUUID()}`;
    const earlier = `4194304.1.${randomUUID()}`;
    for (const [name, time] of [
      ["young", new Date()],
      ["old", new Date(0)],
      [elsewhere, new Date()],
      [earlier, new Date()],
    ] as const) {
      writeFileSync(join(partial, name), "x");
      utimesSync(join(partial, name), time, time);
    }
    assert.equal(readdirSync(partial).length, 6);
    await blobs.removeAbandoned();
    assert.deepEqual(
      readdirSync(partial).sort(),
      [basename((await staged.local()).path), "young", elsewhere].sort(),
    );
    await staged.keep();
    for await (const names of blobs.names()) assert.deepEqual(names, [staged.sha256]);
    assert.deepEqual(readdirSync(partial).sort(), ["young", elsewhere].sort());
  });
});

test("read: a content that is not there fails for whoever reads it, however late", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "berth-blobs-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const blobs = await openDiskBlobs(directory);
  const content = blobs.read("0".repeat(64));
  while (!content.destroyed) await nextTurn();
  await assert.rejects(content.toArray(), { code: "ENOENT" });
});

test("a link, a pipe or a directory in the place of a content: never read, and refused at once", async (t) => {
  const { blobs, directory } = await opened(t);
  const outside = join(directory, "outside");
  writeFileSync(outside, "not of the store");
  const places: [string, (path: string) => unknown][] = [
    ["a link", (path) => symlinkSync(outside, path)],
    ["a named pipe", (path) => execFileSync("mkfifo", [path])],
    ["a directory", (path) => mkdirSync(path)],
  ];
  for (const [kind, put] of places) {
    const staged = await blobs.stage(pieces(randomBytes(10)));
    await staged.keep();
    const path = contentPath(directory, staged.sha256);
    renameSync(path, `${path}.away`);
    put(path);
    const refused = { message: `${path} is ${kind}, and not a file.` };
    await assert.rejects(blobs.read(staged.sha256).toArray(), refused);
    await assert.rejects(blobs.local(staged.sha256), refused);
    assert.ok((await blobs.age(staged.sha256)) < 60_000, "of the thing itself");
  }
  await assert.rejects(blobs.local("0".repeat(64)), { code: "ENOENT" });
});

test("a link in the place of a content that grows: not written to, and told as lost", async (t) => {
  const { blobs, directory } = await opened(t);
  const outside = join(directory, "outside");
  writeFileSync(outside, "0123456789");
  symlinkSync(outside, join(directory, "growing", "file"));
  const partial = blobs.partial("file");
  await assert.rejects(
    partial.append(5, pieces(Buffer.from("x")), async () => {}),
    ContentLostError,
  );
  await assert.rejects(partial.stage(3), ContentLostError);
  assert.equal(readFileSync(outside, "utf8"), "0123456789");
});

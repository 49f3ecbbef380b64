import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pieces } from "../../../test-support/pieces.ts";
import type { BlobStore } from "../interface/blob-store.ts";
import { openDiskBlobs } from "./disk-blobs.ts";

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

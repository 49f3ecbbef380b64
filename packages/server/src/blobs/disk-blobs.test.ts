import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, type TestContext, test } from "node:test";
import { type BlobStore, openDiskBlobs } from "./disk-blobs.ts";

async function opened(t: TestContext): Promise<{ blobs: BlobStore; directory: string }> {
  const directory = mkdtempSync(join(tmpdir(), "berth-blobs-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return { blobs: await openDiskBlobs(directory), directory };
}

async function* pieces(...parts: (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

function files(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

describe("blobs on disk", () => {
  test("give back what was written, stored once for equal contents", async (t) => {
    const { blobs, directory } = await opened(t);
    const content = randomBytes(300_000);
    const blob = await blobs.stage(pieces(content.subarray(0, 100_000), content.subarray(100_000)));
    assert.equal(blob.sha256, createHash("sha256").update(content).digest("hex"));
    assert.equal(blob.size, 300_000);
    await blob.keep();
    await (await blobs.stage(pieces(content))).keep();
    assert.deepEqual(files(directory), [blob.sha256]);
    assert.deepEqual(await buffer(blobs.read(blob.sha256)), content);
    const empty = await blobs.stage(pieces());
    await empty.keep();
    assert.equal(empty.size, 0);
  });

  test("leave nothing when the source fails, is discarded, or a process ended in between", async (t) => {
    const { blobs, directory } = await opened(t);
    await assert.rejects(blobs.stage(pieces(randomBytes(10), new Error("cut"))), /cut/);
    await (await blobs.stage(pieces(randomBytes(10)))).discard();
    assert.deepEqual(files(directory), []);
    writeFileSync(join(directory, "partial", "left"), "x");
    utimesSync(join(directory, "partial", "left"), 0, 0);
    await openDiskBlobs(directory);
    assert.deepEqual(files(directory), []);
  });
});

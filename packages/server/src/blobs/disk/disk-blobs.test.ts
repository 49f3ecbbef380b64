import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, type TestContext, test } from "node:test";
import type { BlobStore } from "../blob-store.ts";
import { openDiskBlobs } from "./disk-blobs.ts";

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

describe("disk blobs", () => {
  test("store: equal contents → stored once and read back", async (t) => {
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

  test("store: the source fails, or the content is discarded → nothing is left", async (t) => {
    const { blobs, directory } = await opened(t);
    await assert.rejects(blobs.stage(pieces(randomBytes(10), new Error("cut"))), /cut/);
    await (await blobs.stage(pieces(randomBytes(10)))).discard();
    assert.deepEqual(files(directory), []);
  });

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

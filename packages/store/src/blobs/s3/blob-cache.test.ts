import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { BlobCache } from "./blob-cache.ts";

test("a link or a pipe in the place of a copy: fetched anew, whatever it leads to", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "berth-cache-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const bytes = Buffer.from("a content");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const path = join(directory, sha256);
  const outside = join(directory, "outside");
  for (const put of [() => symlinkSync(outside, path), () => execFileSync("mkfifo", [path])]) {
    rmSync(path, { force: true });
    writeFileSync(outside, bytes);
    put();
    const cache = await BlobCache.open(directory, 1_000, () => Readable.from([bytes]));
    const local = await cache.local(sha256);
    assert.ok(lstatSync(local.path).isFile());
    assert.deepEqual(readFileSync(local.path), bytes);
    await local.release();
    assert.deepEqual(readFileSync(outside), bytes);
  }
});

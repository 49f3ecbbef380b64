import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { imageBytes, imagePrograms, MIB } from "./disk-image.ts";
import { captureImage, createFromPrototype } from "./disk-image-prototype.ts";

const programs = imagePrograms();
const skip = typeof programs === "string" ? programs : false;
const directory = mkdtempSync(join(tmpdir(), "berth-mold-"));
after(() => rmSync(directory, { recursive: true, force: true }));

test("createFromPrototype: a consistent filesystem of full size that takes no more space than one by mkfs", {
  skip,
}, async () => {
  assert.ok(typeof programs !== "string");
  const bytes = 10_240 * MIB;
  const mold = await captureImage(programs, `${directory}/mold`, bytes);
  assert.ok(mold !== null);
  assert.deepEqual(readdirSync(directory), []);
  const paths = [1, 2].map((number) => `${directory}/${number}.ext4`);
  await Promise.all(paths.map((path) => createFromPrototype(mold, path)));
  for (const path of paths) {
    const { size, blocks } = statSync(path);
    assert.equal(size, imageBytes(bytes));
    assert.ok(blocks * 512 < 2 * MIB, `${blocks} blocks`);
    execFileSync(programs.e2fsck, ["-f", "-n", path], { stdio: "pipe" });
  }
});

test("createFromPrototype: an existing file stays, and a failed write leaves no file", { skip }, async () => {
  assert.ok(typeof programs !== "string");
  const mold = await captureImage(programs, `${directory}/mold`, 64 * MIB);
  assert.ok(mold !== null);
  const [taken, broken] = [`${directory}/taken`, `${directory}/broken`];
  writeFileSync(taken, "other");
  await assert.rejects(createFromPrototype(mold, taken), { name: "SandboxError" });
  assert.equal(statSync(taken).size, 5);
  const pieces = [...mold.pieces, { at: Number.MAX_SAFE_INTEGER, bytes: Buffer.alloc(1) }];
  await assert.rejects(createFromPrototype({ ...mold, pieces }, broken), { name: "SandboxError" });
  assert.equal(existsSync(broken), false);
});

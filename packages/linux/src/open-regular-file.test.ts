import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { constants, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { NotARegularFile } from "./not-a-regular-file.ts";
import { openRegularFile, statRegularFile, streamRegularFile } from "./open-regular-file.ts";

function directoryOf(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "berth-regular-"));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "file"), "a text");
  symlinkSync("file", join(dir, "link"));
  symlinkSync("none", join(dir, "dead link"));
  execFileSync("mkfifo", [join(dir, "pipe")]);
  return dir;
}

const others = (dir: string) =>
  [
    [join(dir, "link"), "a link"],
    [join(dir, "dead link"), "a link"],
    [join(dir, "pipe"), "a named pipe"],
    [dir, "a directory"],
    ["/dev/zero", "a device"],
  ] as const;

const descriptors = () => readdirSync("/proc/self/fd").length;

test("a file is opened, read and described; a link, a pipe, a directory and a device are refused at once", async (t) => {
  const dir = directoryOf(t);
  const path = join(dir, "file");
  const file = await openRegularFile(path, constants.O_RDWR);
  await file.truncate(5);
  await file.close();
  assert.equal((await statRegularFile(path)).size, 5);
  assert.equal(await text(streamRegularFile(path)), "a tex");
  assert.equal(await text(streamRegularFile(path, { start: 2, end: 3 })), "te");
  const before = descriptors();
  for (const [other, kind] of others(dir)) {
    const refused = new NotARegularFile(`${other} is ${kind}, and not a file.`);
    await assert.rejects(openRegularFile(other), refused);
    await assert.rejects(statRegularFile(other), refused);
    await assert.rejects(text(streamRegularFile(other)), refused);
  }
  assert.equal(descriptors(), before, "nothing stays open");
  const none = join(dir, "none");
  const readings = [openRegularFile, statRegularFile, (path: string) => text(streamRegularFile(path))];
  for (const read of readings) await assert.rejects(read(none), { code: "ENOENT" });
});

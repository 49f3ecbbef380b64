import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { NotARegularFile } from "./not-a-regular-file.ts";
import { readRegularFile } from "./read-regular-file.ts";

test("a file is read; a named pipe, a directory and a device are refused at once", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "berth-regular-"));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "file"), "text");
  execFileSync("sh", ["-c", `mkfifo ${join(dir, "pipe")}`]);
  assert.equal(readRegularFile(join(dir, "file")), "text");
  for (const [path, kind] of [
    [join(dir, "pipe"), "a named pipe"],
    [dir, "a directory"],
    ["/dev/zero", "a device"],
  ] as const)
    assert.throws(() => readRegularFile(path), new NotARegularFile(`${path} is ${kind}, and not a file.`));
  assert.throws(() => readRegularFile(join(dir, "none")), { code: "ENOENT" });
  const link = join(dir, "link");
  symlinkSync("file", link);
  assert.equal(readRegularFile(link), "text");
  assert.equal(readRegularFile(join(dir, "file"), { followsLinks: false }), "text");
  assert.throws(
    () => readRegularFile(link, { followsLinks: false }),
    new NotARegularFile(`${link} is a link, and not a file.`),
  );
});

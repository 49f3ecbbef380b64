import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keyReader } from "./api-key.ts";

test("a key file is read at each call; one that is missing, empty, a pipe or a directory is an error, and not waited for", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "berth-key-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const [file, pipe] = [join(dir, "key"), join(dir, "pipe")];
  execFileSync("mkfifo", [pipe]);
  const read = keyReader("openai", { file }, {});
  for (const key of ["one", "two"]) {
    writeFileSync(file, `${key}\n`);
    assert.equal(await read(), key);
  }
  writeFileSync(file, "\n");
  for (const path of [file, pipe, dir, join(dir, "none")])
    await assert.rejects(keyReader("openai", { file: path }, {})(), {
      message: "There is no API key for openai: its key file is missing, empty or no file.",
    });
});

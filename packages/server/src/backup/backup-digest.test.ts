import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { backupDigest, requireUnaltered } from "./backup-digest.ts";
import type { BackupNote } from "./backup-note.ts";

const KEY = Buffer.alloc(32, "k");
const CONTENT = `blobs/ab/cd/${"abcd".repeat(16)}`;
const SAID: BackupNote = {
  ...{ format: 1, berth: "0.1.0", ended_at: "2026-11-28T12:00:00.000Z", postgres: 18, architecture: "x64" },
  ...{ contents: 1, bytes: 3, contents_at: null },
};

function madeBackup(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "digest-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const path of ["cluster/base/1", "blobs/ab/cd", "blobs/growing"])
    mkdirSync(join(directory, path), { recursive: true });
  for (const path of ["cluster/PG_VERSION", "cluster/base/1/2", "blobs/store", "blobs/growing/file", CONTENT])
    writeFileSync(join(directory, path), path);
  return directory;
}

test("digest: the same for a copy, another for every change of a file, a name or the note", async (t) => {
  const directory = madeBackup(t);
  const note = { ...SAID, digest: await backupDigest(directory, SAID, KEY) };
  const copy = `${directory}-copy`;
  t.after(() => rmSync(copy, { recursive: true, force: true }));
  const at = (path: string) => join(copy, path);
  const changes: Record<string, () => void> = {
    "other bytes": () => writeFileSync(at("cluster/base/1/2"), "cluster/base/1/3"),
    "a file more": () => writeFileSync(at("cluster/recovery.signal"), ""),
    "a file less": () => rmSync(at("cluster/PG_VERSION")),
    "another name": () => renameSync(at("cluster/base/1/2"), at("cluster/base/1/3")),
    "an upload": () => writeFileSync(at("blobs/growing/file"), "other"),
  };
  for (const [name, change] of Object.entries(changes)) {
    cpSync(directory, copy, { recursive: true });
    await requireUnaltered(copy, note, [Buffer.alloc(32, "o"), KEY]);
    change();
    await assert.rejects(requireUnaltered(copy, note, [KEY]), /does not match its digest/, name);
    rmSync(copy, { recursive: true });
  }
  for (const other of [
    { ...note, ended_at: "2026-01-01T00:00:00.000Z" },
    { ...note, digest: undefined },
    SAID,
  ])
    await assert.rejects(
      requireUnaltered(directory, other as BackupNote, [KEY]),
      /does not match its digest/,
    );
  await assert.rejects(
    requireUnaltered(directory, note, [Buffer.alloc(32, "o")]),
    /belongs to another secret key/,
  );
  writeFileSync(join(directory, CONTENT), "damaged, which is told for each content");
  await requireUnaltered(directory, note, [KEY]);
});

test("digest: a link, a pipe or a socket anywhere → refused by its path, and never read", async (t) => {
  const directory = madeBackup(t);
  const made: Record<string, (path: string) => unknown> = {
    "blobs/ab/cd/link": (path) => symlinkSync("/etc/hostname", path),
    "cluster/directory": (path) => symlinkSync("/etc", path),
    "secret.key": (path) => symlinkSync("/nowhere", path),
    "cluster/base/pipe": (path) => execFileSync("mkfifo", [path]),
    "blobs/socket": (path) =>
      new Promise((resolve) => {
        const server = createServer().listen(path, () => resolve(undefined));
        t.after(() => server.close());
      }),
  };
  for (const [path, make] of Object.entries(made)) {
    await make(join(directory, path));
    await assert.rejects(
      backupDigest(directory, SAID, KEY),
      new RegExp(`${path} is neither a file nor a directory`),
    );
    rmSync(join(directory, path));
  }
});

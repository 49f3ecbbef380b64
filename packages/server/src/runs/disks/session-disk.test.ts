import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { testDatabase } from "../../../test-support/database.ts";
import { seed, seedLease, seedSession } from "../../../test-support/runs.ts";
import { SessionDisk } from "./session-disk.ts";

/** A tree far deeper than a path can be long, as a program makes it that goes down step by step. */
function makeDeepTree(directory: string): void {
  const down = `for (let n = 0; n < 3000; n += 1) { fs.mkdirSync("nested"); process.chdir("nested"); }`;
  execFileSync(process.execPath, ["--eval", down], { cwd: directory });
}

function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-disks-"));
  t.after(() => execFileSync("rm", ["-rf", directory]));
  return directory;
}

async function neverLost(): Promise<void> {
  throw new Error("There was no disk to lose.");
}

test("SessionDisk.remove: hostile content is deleted, and nothing that it links to", async (t) => {
  const db = await testDatabase(t);
  const directory = temporaryDirectory(t);
  const elsewhere = join(directory, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "kept"), "kept");
  const room = { directory: join(directory, "disks"), home: "here" };
  const sessionId = await seedSession(db.write, await seed(db.write));
  const lease = await seedLease(db.write, sessionId, "worker");
  const disk = new SessionDisk(db.write, lease, room);
  const { path } = await disk.claim(neverLost);
  mkdirSync(join(path, "data", "-rf"), { recursive: true });
  makeDeepTree(join(path, "data"));
  symlinkSync(elsewhere, join(path, "data", "link"));
  await disk.remove();
  assert.equal(existsSync(path), false);
  assert.deepEqual(readdirSync(room.directory), []);
  assert.deepEqual(readdirSync(elsewhere), ["kept"]);
});

test("SessionDisk.claim: no two disks have one uid, also when the uids begin anew", async (t) => {
  const db = await testDatabase(t);
  const room = { directory: join(temporaryDirectory(t), "disks"), home: "here" };
  const from = await seed(db.write);
  const uids: number[] = [];
  for (const name of ["a", "b", "c"]) {
    const sessionId = await seedSession(db.write, from);
    const disk = new SessionDisk(db.write, await seedLease(db.write, sessionId, name), room);
    uids.push((await disk.claim(neverLost)).uid);
    if (name === "b")
      await db.write.query({ text: "select setval('workspace_uids', $1, false)", values: [uids[0]] });
  }
  assert.equal(new Set(uids).size, 3, `${uids}`);
});

test("SessionDisk.claim: a disk that was being made from a save when its process died is made anew, and no loss is told", async (t) => {
  const db = await testDatabase(t);
  const room = { directory: join(temporaryDirectory(t), "disks"), home: "here" };
  const sessionId = await seedSession(db.write, await seed(db.write));
  const disk = new SessionDisk(db.write, await seedLease(db.write, sessionId, "worker"), room);
  await db.write.query({
    text: `insert into workspace_saves (session_id, sha256, size_bytes, saved_at, seq, in_place, bases, contents)
      values ($1, '', 1, now(), 0, '{}', '[]', '{}')`,
    values: [sessionId],
  });
  const setRestoring = (restoring: boolean) =>
    db.write.query({ text: "update workspace_saves set restoring = $1", values: [restoring] });
  const { path } = await disk.claim(neverLost, async () => void (await setRestoring(true)));
  mkdirSync(join(path, "half"), { recursive: true });
  assert.equal(await disk.exists(), false);
  assert.equal((await disk.claim(neverLost)).isNew, true);
  assert.equal(existsSync(path), false);
  mkdirSync(path);
  await setRestoring(false);
  assert.equal((await disk.claim(neverLost)).isNew, false);
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { formatId } from "@berth/contract";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { claimDisk } from "../../test-support/disks.ts";
import { addReady, MadeSandboxes, PLAIN } from "../../test-support/warm.ts";
import { readInputs } from "../inputs/session-inputs-store.ts";
import { leaveUnused, readPool } from "./pool/pool-store.ts";
import { SessionDisk } from "./session-disk.ts";

/** Makes a tree far deeper than the longest path, as a program can that descends step by step. */
function makeDeepTree(directory: string): void {
  const down = `for (let n = 0; n < 3000; n += 1) { fs.mkdirSync("nested"); process.chdir("nested"); }`;
  execFileSync(process.execPath, ["--eval", down], { cwd: directory });
}

function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "berth-disks-"));
  t.after(() => execFileSync("rm", ["-rf", directory]));
  return directory;
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
  const { path } = await claimDisk(disk);
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
    uids.push((await claimDisk(disk)).uid);
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
  const { path } = await claimDisk(disk);
  await setRestoring(true);
  mkdirSync(join(path, "half"), { recursive: true });
  assert.equal(await disk.exists(), false);
  assert.equal((await claimDisk(disk)).isNew, true);
  assert.equal(existsSync(path), false);
  mkdirSync(path);
  await setRestoring(false);
  assert.equal((await claimDisk(disk)).isNew, false);
});

const WISH = { key: "plain", shape: PLAIN };

async function poolRoom(t: TestContext) {
  const made = new MadeSandboxes();
  const db = await testDatabase(t);
  const room = { directory: temporaryDirectory(t), home: made.place, disks: made };
  const from = await seed(db.write);
  const session = async () => {
    const lease = await seedLease(db.write, await seedSession(db.write, from), "worker");
    return { lease, disk: new SessionDisk(db.write, lease, room) };
  };
  return { db, made, room, session };
}

test("SessionDisk.claim: of two sessions one has the disk of the pool, with its uid; whoever goes on with it has the same", async (t) => {
  const { db, made, room, session } = await poolRoom(t);
  const warm = await addReady(db, made);
  const both = [await session(), await session()];
  const claimed = await Promise.all(both.map(({ disk }) => claimDisk(disk, WISH)));
  const [winner, other] = claimed[0]?.fromPool ? [0, 1] : [1, 0];
  assert.deepEqual(
    { ...claimed[winner], hostDir: "" },
    { path: warm.name, hostDir: "", uid: warm.uid, isNew: true, fromPool: true },
  );
  const lease = both[other]?.lease;
  assert.equal(claimed[other]?.path, formatId("session", lease?.sessionId ?? ""));
  assert.ok((claimed[other]?.uid ?? 0) < 365_536, "of the other sequence");
  const won = both[winner]?.lease;
  assert.ok(won !== undefined);
  const later = await seedLease(db.write, won.sessionId, "another");
  const disk = new SessionDisk(db.write, later, room);
  assert.equal((await claimDisk(disk, WISH)).path, warm.name);
  assert.equal(await disk.existsAt(await readInputs(db.read, won.sessionId)), true);
  await disk.remove();
  assert.deepEqual(await made.list(), []);
  assert.equal((await readInputs(db.read, won.sessionId)).session.disk, null);
});

test("SessionDisk.claim: a disk of the pool that is gone is lost like any, and one that does not serve is replaced", async (t) => {
  const { db, made, session } = await poolRoom(t);
  const [first, second] = [await addReady(db, made), await addReady(db, made)];
  const { disk, lease } = await session();
  const taken = await claimDisk(disk, WISH);
  assert.equal(taken.path, first.name);
  await made.takeAway(first.name);
  let losses = 0;
  const lost = async () => {
    losses += 1;
  };
  assert.equal((await claimDisk(disk, WISH, lost)).path, second.name);
  await disk.leaveToPool();
  const replaced = await disk.assign();
  assert.deepEqual(
    [losses, replaced.path, replaced.fromPool],
    [1, formatId("session", lease.sessionId), false],
  );
  await leaveUnused(db.write, made.place);
  const left = (await readPool(db.read, made.place)).map(({ name, state }) => `${name} ${state}`);
  assert.deepEqual(left.sort(), [first.name, second.name].map((name) => `${name} leaving`).sort());
});

test("SessionDisk.claim: no disk of the pool has the uid of a session, also when the uids begin anew", async (t) => {
  const { db, made, session } = await poolRoom(t);
  const warm = await addReady(db, made);
  const { disk, lease } = await session();
  await claimDisk(disk, WISH);
  // The session keeps the uid on a disk of its own.
  await disk.leaveToPool();
  assert.equal((await disk.assign()).uid, warm.uid);
  await db.write.query({ text: "delete from warm_disks" });
  await db.write.query({ text: "select setval('warm_uids', $1, false)", values: [warm.uid] });
  assert.equal((await addReady(db, made)).uid, warm.uid + 1);
  assert.equal((await readInputs(db.read, lease.sessionId)).session.disk, null);
});

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { formatId, newUuid } from "@berth/contract";
import { removeTrash } from "@berth/linux";
import type { Database } from "@berth/store/db";
import { testDatabase } from "@berth/store/test-support/database";
import { type Seed, seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { claimDisk } from "../../test-support/disks.ts";
import { addReady, MadeSandboxes, PLAIN } from "../../test-support/warm.ts";
import { type DiskDirectory, diskPath, SessionDisk } from "./session-disk.ts";
import { sweepDisks } from "./sweep-disks.ts";

const held = { isHeld: () => false };

async function house(t: TestContext): Promise<{ db: Database; from: Seed; room: DiskDirectory }> {
  const directory = mkdtempSync(join(tmpdir(), "berth-room-"));
  t.after(() => execFileSync("rm", ["-rf", directory]));
  const db = await testDatabase(t);
  return { db, from: await seed(db.write), room: { directory, home: "here" } };
}

function makeDisk(room: DiskDirectory, id: string): string {
  const path = diskPath(room, id);
  mkdirSync(join(path, "data"), { recursive: true });
  writeFileSync(join(path, "data", "file"), "x");
  return path;
}

async function sessionOn({ db, from }: { db: Database; from: Seed }, home: string | null): Promise<string> {
  const id = await seedSession(db.write, from);
  await db.write.query({ text: "update sessions set home = $2 where id = $1", values: [id, home] });
  return id;
}

test("sweepDisks: directories that are no session's disk here are deleted, and everything else stays", async (t) => {
  const all = await house(t);
  const { db, room } = all;
  const here = await sessionOn(all, "here");
  const working = await sessionOn(all, null);
  const gone = [await sessionOn(all, null), await sessionOn(all, "elsewhere"), newUuid()];
  for (const id of [here, working, ...gone]) makeDisk(room, id);
  const strange = ["lost+found", "sess_1", `${formatId("session", newUuid())}.old`];
  for (const name of strange) mkdirSync(join(room.directory, name));
  await sweepDisks(db, room, { isHeld: (id) => id === working });
  const left = [...strange, ...[here, working].map((id) => formatId("session", id))];
  assert.deepEqual(readdirSync(room.directory).sort(), left.sort());
  const unread = { ...room, directory: join(room.directory, "not there") };
  await sweepDisks(db, unread, held);
});

test("sweepDisks: a process dies in a reclaim between the row and the directory → the directory is deleted", async (t) => {
  const { db, from, room } = await house(t);
  const id = await seedSession(db.write, from);
  const lease = await seedLease(db.write, id, "worker");
  const disk = new SessionDisk(db.write, lease, room);
  const { path } = await claimDisk(disk);
  makeDisk(room, id);
  const died = new Error("The process died here.");
  const dying = disk.reclaim(async () => {
    await db.write.query({ text: "update sessions set home = null where id = $1", values: [id] });
    throw died;
  });
  await assert.rejects(dying, died);
  assert.ok(existsSync(path));
  await sweepDisks(db, room, held);
  assert.deepEqual(readdirSync(room.directory), []);
});

test("sweepDisks: a disk that is entered during the sweep stays", async (t) => {
  const all = await house(t);
  const { db, room } = all;
  const id = await sessionOn(all, null);
  const path = makeDisk(room, id);
  let sweep: Promise<void> | undefined;
  await db.transaction(async (tx) => {
    await tx.query({ text: "update sessions set home = 'here' where id = $1", values: [id] });
    sweep = sweepDisks(db, room, held);
    const deadline = AbortSignal.timeout(60_000);
    const text = "select 1 from pg_locks where not granted";
    while ((await db.read.query({ text })).rows.length === 0) deadline.throwIfAborted();
  });
  await sweep;
  assert.ok(existsSync(path));
});

test("sweepDisks: concurrent claims → each session keeps its new disk", async (t) => {
  const all = await house(t);
  const { db, room } = all;
  for (let round = 0; round < 25; round += 1) {
    const id = await sessionOn(all, null);
    makeDisk(room, id);
    const lease = await seedLease(db.write, id, "worker");
    const claim = async () => {
      const { path } = await claimDisk(new SessionDisk(db.write, lease, room));
      assert.equal(existsSync(path), false, "nothing of the old one is left");
      mkdirSync(path);
      return path;
    };
    const [path] = await Promise.all([claim(), sweepDisks(db, room, held), sweepDisks(db, room, held)]);
    assert.ok(existsSync(path), `round ${round}`);
  }
  await removeTrash(room.directory);
  assert.equal(readdirSync(room.directory).length, 25);
});

test("sweepDisks: of a session with a disk of the pool, one that is named after it goes; disks of the pool stay", async (t) => {
  const { db, from, room } = await house(t);
  const made = new MadeSandboxes();
  const [taken, ready] = [await addReady(db, made), await addReady(db, made)];
  const id = await seedSession(db.write, from);
  const own = { ...room, home: made.place, disks: made };
  const disk = new SessionDisk(db.write, await seedLease(db.write, id, "worker"), own);
  const wish = { key: "plain", shape: PLAIN };
  assert.equal((await claimDisk(disk, wish)).path, taken.name);
  const [former, unknown] = [formatId("session", id), formatId("session", newUuid())];
  for (const name of [former, unknown]) made.made.set(name, true);
  await sweepDisks(db, own, held);
  assert.deepEqual((await made.list()).sort(), [taken.name, ready.name, unknown].sort());
});

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { deleteSaves, requestErasure } from "@berth/api/test-support/internals/deletion";
import { formatId, newUuid } from "@berth/contract";
import { usedContents } from "@berth/store/files";
import { forgetHome } from "@berth/store/leases";
import { testDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { readInputs } from "../../inputs/session-inputs-store.ts";
import { appendByRun, appendReclaimed } from "../../lease/append-events.ts";
import { assignDisk, readDisk } from "../disk-store.ts";
import { beginRestore, beginSave, finishRestore, readSave, storeSave } from "./save-store.ts";

const hash = (digit: string) => digit.repeat(64);
const [ONE, TWO, BASE, OTHER] = ["1", "2", "b", "f"].map(hash) as [string, string, string, string];
const CALL = {
  event: { type: "agent.tool_use" as const, name: "Bash", input: {}, evaluated_permission: "allow" as const },
};

/** Creates a session with a disk here, a repository in place, and a save. */
async function savedSession(t: TestContext) {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const id = await seedSession(db.write, from);
  const lease = await seedLease(db.write, id, "me");
  const resource = newUuid();
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, url, mount_path, ready_at)
      values ($1, $2, 'git_repository', 'https://git.example.com/acme/widget', '/data/widget', now())`,
    values: [resource, id],
  });
  await assignDisk(db.write, lease, "here");
  const base = { resource, snapshot: newUuid(), target: "/data/widget", sha256: BASE, size: 1 };
  const store = async (sha256: string) => {
    const begun = await beginSave(db.write, lease);
    return await storeSave(db.write, lease, { ...begun, sha256, size: 2, bases: [base] });
  };
  await store(ONE);
  const used = async () => [...(await usedContents(db.write, [ONE, TWO, BASE, OTHER]))].toSorted();
  return { db, from, id, lease, resource, store, used };
}

test("saves: the next one names what is not used any more, and its contents are used", async (t) => {
  const { store, used } = await savedSession(t);
  assert.deepEqual(await used(), [ONE, BASE]);
  assert.deepEqual(await store(TWO), [ONE]);
  assert.deepEqual(await used(), [TWO, BASE]);
  assert.deepEqual(await store(TWO), []);
});

test("saves: a disk that is made from one is not there before that is done, and then has in place what the save had", async (t) => {
  const { db, id, lease, resource } = await savedSession(t);
  await db.write.query({ text: "update session_resources set ready_at = null" });
  const home = async () => [
    (await readDisk(db.write, lease)).restoring,
    (await readInputs(db.read, id)).session.home,
  ];
  assert.deepEqual(await home(), [false, "here"]);
  assert.deepEqual((await beginRestore(db.write, lease))?.inPlace, [resource]);
  assert.deepEqual(await home(), [true, null]);
  await finishRestore(db.write, lease);
  assert.deepEqual(await home(), [false, "here"]);
  assert.deepEqual(
    (await readInputs(db.read, id)).resources.map(({ ready }) => ready),
    [true],
  );
});

test("saves: a lost disk is told with the calls since then; after inactivity the save is gone as well", async (t) => {
  const { db, id, lease, used } = await savedSession(t);
  const parent_tool_use_id = formatId("event", newUuid());
  const ofLoop = { event: { ...CALL.event, parent_tool_use_id } };
  await appendByRun(db.write, lease, [CALL, CALL, ofLoop]);
  const told = async () =>
    (await readLog(db.read, id)).flatMap(({ event }) =>
      event.type === "session.container_reclaimed" ? [[event.reason, event.save?.lost_calls]] : [],
    );
  await appendReclaimed(db.write, lease, "lost");
  await appendReclaimed(db.write, lease, "drained");
  assert.ok(await readSave(db.read, id));
  await appendReclaimed(db.write, lease, "inactivity");
  assert.equal(await readSave(db.read, id), null);
  assert.deepEqual(await told(), [
    ["lost", 2],
    ["drained", 2],
    ["inactivity", undefined],
  ]);
  assert.deepEqual(await used(), []);
});

test("saves: a forgotten host's session is told of its save, which stays", async (t) => {
  const { db, id, used } = await savedSession(t);
  assert.equal(await forgetHome(db.write, id, "here"), true);
  const event = (await readLog(db.read, id)).at(-1)?.event;
  assert.ok(event?.type === "session.container_reclaimed");
  assert.equal(event.save?.lost_calls, 0);
  assert.deepEqual(await used(), [ONE, BASE]);
});

test("saves: one goes with its session, and its contents with an erasure; none is stored for a session that is deleted", async (t) => {
  const { db, from, id, store, used } = await savedSession(t);
  const erasure = await requestErasure(db.write, {
    ...{ id: newUuid(), subject_type: "organization", subject_id: from.organizationId },
    organization_id: from.organizationId,
  });
  await db.write.query({ text: "update sessions set deleted_at = now() where id = $1", values: [id] });
  await assert.rejects(store(TWO), { name: "LeaseLost" });
  assert.deepEqual(await deleteSaves(db.write, erasure, 10), { workspace_saves: 1 });
  const { rows } = await db.read.query({ text: "select sha256 from erased_contents order by sha256" });
  assert.deepEqual(rows, [{ sha256: ONE }, { sha256: BASE }]);
  assert.deepEqual(await used(), []);
  await db.write.query({ text: "delete from sessions" });
});

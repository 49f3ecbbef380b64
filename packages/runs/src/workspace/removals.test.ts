// Subject: removals of files by the Provisioner.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { newUuid } from "@berth/contract";
import { openDiskBlobs } from "@berth/store/blobs";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { insertFileResource } from "../../test-support/resources.ts";
import { bash, type Installation, idles, installation, steps, types } from "../../test-support/worker.ts";

interface House {
  db: TestDatabase;
  own: Installation;
  sessionId: string;
  /** Adds a file resource, and returns its uuid. */
  add(content: string, mountPath: string): Promise<string>;
  /** Deletes a resource as the API does. */
  remove(id: string): Promise<void>;
  tell(): Promise<void>;
  /** Resolves when no removal is left. */
  removalsDone(): Promise<void>;
}

async function house(t: TestContext): Promise<House> {
  const db = await testDatabase(t);
  const own = await installation(t, db);
  const sessionId = await seedSession(db.write, await seed(db.write));
  const blobs = await openDiskBlobs(own.blobs);
  const news = new EventEmitter();
  await tellWhenDone(db, () => news.emit("done"));
  const tell = async () => {
    await db.write.query({ text: "update sessions set pending_at = now()" });
    own.hub.publish(sessionId, true);
  };
  return {
    db,
    own,
    sessionId,
    tell,
    add: (content, mountPath) => insertFileResource(db.write, blobs, sessionId, { content, mountPath }),
    async remove(id) {
      await db.write.query({
        text: `with gone as (delete from session_resources where id = $1 returning id, session_id, mount_path)
          insert into session_removals (resource_id, session_id, mount_path) select * from gone`,
        values: [id],
      });
    },
    async removalsDone() {
      const done = once(news, "done");
      const { rows } = await db.read.query({ text: "select 1 as one from session_removals" });
      if (rows.length > 0) await done;
    },
  };
}

/** Calls `done` whenever a removal is deleted and none is left. */
async function tellWhenDone(db: TestDatabase, done: () => void): Promise<void> {
  await db.write.query({
    text: `create function tell_removals() returns trigger language plpgsql as $$
      begin
        if not exists (select 1 from session_removals) then perform pg_notify('removals_done', ''); end if;
        return null;
      end $$`,
  });
  await db.write.query({
    text: "create trigger told after delete on session_removals for each row execute function tell_removals()",
  });
  await db.listen(["removals_done"], { onPayload: done, onReconnect: done });
}

describe("removals", () => {
  test("a new file at the same path, during a command → the old file is removed before it is placed", async (t) => {
    const { own, sessionId, add, remove, tell, removalsDone } = await house(t);
    const first = await add("one", "/data/in/x");
    await own.worker();
    const began = once(own.engine.events, "command");
    await own.send(sessionId, steps(bash("hang")));
    await began;
    assert.deepEqual(
      own.engine.specs[0]?.files.map(({ target }) => target),
      ["/data/in/x"],
    );
    await remove(first);
    await add("one", "/data/in/x");
    await tell();
    await own.until(
      sessionId,
      (log) => types(log).filter((type) => type === "session.resource_ready").length === 2,
    );
    await removalsDone();
    assert.deepEqual(own.engine.fileSteps, ["remove /data/in/x", "place /data/in/x"]);
  });

  test("a mounted file → removed by reopening the sandbox after the turn", async (t) => {
    const { own, sessionId, add, remove, tell, removalsDone } = await house(t);
    own.engine.failsToPlace = true;
    const id = await add("one", "/inputs/x");
    await own.worker();
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => idles(log) === 1);
    await remove(id);
    const closed = once(own.engine.events, "closed");
    await tell();
    await closed;
    own.engine.failsToPlace = false;
    await own.send(sessionId, steps(bash("echo two")));
    await own.until(sessionId, (log) => idles(log) === 2);
    await removalsDone();
    assert.deepEqual(
      own.engine.specs.map(({ files }) => files.length),
      [1, 0],
    );
    assert.deepEqual(own.engine.overlaps, []);
  });

  test("a removal from before the sandbox opened → done then, before a file at its path", async (t) => {
    const { own, sessionId, add, remove, removalsDone } = await house(t);
    const first = await add("one", "/data/x");
    await remove(first);
    await add("two", "/data/x/below");
    await own.worker();
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => idles(log) === 1);
    await removalsDone();
    assert.deepEqual(own.engine.specs[0]?.files, [], "it is not placed over what is still there");
    assert.deepEqual(own.engine.fileSteps, ["remove /data/x", "place /data/x/below"]);
  });

  test("another resource is at the path since → it stays", async (t) => {
    const { db, own, sessionId, add, tell, removalsDone } = await house(t);
    await own.worker();
    await add("two", "/data/x");
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => types(log).includes("session.resource_ready"));
    await db.write.query({
      text: "insert into session_removals (resource_id, session_id, mount_path) values ($1, $2, '/data/x')",
      values: [newUuid(), sessionId],
    });
    await tell();
    await removalsDone();
    assert.deepEqual(own.engine.fileSteps, []);
  });
});

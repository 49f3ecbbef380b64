import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { updateSecret } from "@berth/api/test-support/internals/features";
import { formatId, newUuid } from "@berth/contract";
import { openDiskBlobs } from "@berth/store/blobs";
import { resourceSecret, SecretBox } from "@berth/store/secrets";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { insertFileResource } from "../../test-support/resources.ts";
import { bash, idles, installation, steps, types } from "../../test-support/worker.ts";
import type { CloneRepository, Placement } from "../inputs/placement.ts";

const secrets = new SecretBox(Buffer.alloc(32));

async function repository(
  db: TestDatabase,
  sessionId: string,
  name: string,
  token: string | null = null,
): Promise<string> {
  const id = newUuid();
  const secret = token === null ? null : secrets.seal(resourceSecret(id), token);
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, url, secret, mount_path)
      values ($1, $2, 'hosted_repository', $3, $4, $5)`,
    values: [id, sessionId, `https://git.example:8443/o/${name}`, secret, `/data/${name}`],
  });
  return id;
}

async function file(db: TestDatabase, directory: string, sessionId: string): Promise<string> {
  return await insertFileResource(db.write, await openDiskBlobs(directory), sessionId, {
    content: "content",
  });
}

describe("Provisioner", () => {
  test("repositories, no message yet → cloned concurrently; the first command waits for them, the model does not", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await seedSession(db.write, await seed(db.write), { pending: true });
    const ids = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) => repository(db, sessionId, `r${n}`, "secret")),
    );
    const [fourth, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let running = 0;
    let most = 0;
    const clone: CloneRepository = async (_sandbox, { secret: token, onProgress }) => {
      assert.equal(token, "secret");
      running += 1;
      most = Math.max(most, running);
      if (running === 4) fourth.resolve();
      onProgress({ phase: "receiving", percent: 10 });
      await finish.promise;
      running -= 1;
      return { commit: "a".repeat(40) };
    };
    await own.worker({ clone });
    await own.until(sessionId, (log) => types(log).includes("session.resource_progress"));
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => types(log).includes("agent.tool_use"));
    await fourth.promise;
    assert.deepEqual(own.engine.commands, []);
    finish.resolve();
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.equal(most, 4);
    const ready = log.flatMap(({ event }) => (event.type === "session.resource_ready" ? [event] : []));
    assert.deepEqual(
      ready.map((event) => event.resource_id).sort(),
      ids.map((id) => formatId("session_resource", id)).sort(),
    );
    assert.ok(ready.every((event) => event.commit === "a".repeat(40)));
    assert.ok(types(log).lastIndexOf("session.resource_ready") < types(log).indexOf("agent.tool_result"));
    assert.ok(!JSON.stringify(log).includes("secret"));
    assert.deepEqual(own.engine.specs[0]?.egress, { mode: "limited", hosts: ["git.example:8443"] });
  });

  test("a clone fails → reported in the log and once to the model, and tried again with a new token", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await seedSession(db.write, await seed(db.write), { pending: true });
    const id = await repository(db, sessionId, "r", "bad");
    const clone: CloneRepository = async (_sandbox, { secret: token }): Promise<Placement> =>
      token === "good"
        ? { commit: "b".repeat(40) }
        : { fault: { type: "repository_authentication_error", message: "The token was refused." } };
    await own.worker({ clone });
    await own.until(sessionId, (log) => types(log).includes("session.error"));
    await own.send(sessionId, steps(bash("echo one"), bash("echo two")));
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    const errors = log.flatMap(({ event }) => (event.type === "session.error" ? [event.error] : []));
    assert.deepEqual(errors, [
      {
        type: "repository_authentication_error",
        message: "The token was refused.",
        retry_status: { type: "terminal" },
        resource_id: formatId("session_resource", id),
      },
    ]);
    const results = log
      .filter(({ event }) => event.type === "agent.tool_result")
      .map((entry) => JSON.stringify(entry));
    assert.deepEqual(
      results.map((text) => text.includes("The token was refused.")),
      [true, false],
    );
    await updateSecret(db.write, id, secrets.seal(resourceSecret(id), "good"));
    own.hub.publish(sessionId, true);
    await own.until(sessionId, (entries) => types(entries).includes("session.resource_ready"));
  });

  test("interrupt while a command waits for a clone → the turn ends at once, and the clone continues", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await seedSession(db.write, await seed(db.write), { pending: true });
    await repository(db, sessionId, "r");
    const finish = Promise.withResolvers<void>();
    const clone: CloneRepository = async () => {
      await finish.promise;
      return { commit: "c".repeat(40) };
    };
    await own.worker({ clone });
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => types(log).includes("agent.tool_use"));
    await own.interrupt(sessionId);
    await own.until(sessionId, (log) => idles(log) === 1);
    finish.resolve();
    await own.until(sessionId, (log) => types(log).includes("session.resource_ready"));
    assert.deepEqual(own.engine.commands, []);
  });

  test("files → mounted when the sandbox opens, and placed in it when they are added later, also during a command", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await seedSession(db.write, await seed(db.write), { pending: true });
    const readies = (log: Parameters<typeof types>[0]) =>
      types(log).filter((type) => type === "session.resource_ready").length;
    await file(db, own.blobs, sessionId);
    await own.worker();
    await own.until(sessionId, (log) => readies(log) === 1);
    assert.equal(own.engine.specs[0]?.files.length, 1);
    const began = once(own.engine.events, "command");
    await own.send(sessionId, steps(bash("hang")));
    await began;
    await file(db, own.blobs, sessionId);
    await db.write.query({ text: "update sessions set pending_at = now()" });
    own.hub.publish(sessionId, true);
    await own.until(sessionId, (log) => readies(log) === 2);
    assert.equal(own.engine.placed.length, 1);
  });

  test("a file that only a fresh sandbox can have → the sandbox is reopened after the turn", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    own.engine.failsToPlace = true;
    const sessionId = await seedSession(db.write, await seed(db.write));
    await own.worker();
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => idles(log) === 1);
    await file(db, own.blobs, sessionId);
    await db.write.query({ text: "update sessions set pending_at = now()" });
    own.hub.publish(sessionId, true);
    await own.until(sessionId, (log) => types(log).includes("session.resource_ready"));
    assert.deepEqual(
      own.engine.specs.map((spec) => spec.files.length),
      [0, 1],
    );
    assert.deepEqual(own.engine.overlaps, []);
  });

  test("command variables: changed between commands → each command has the current ones", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const from = await seed(db.write);
    await db.write.query({
      text: `update environments set environment_variables = '{"A":"shared","B":"shared"}'`,
    });
    const sessionId = await seedSession(db.write, from, { variables: { B: "own" } });
    const id = await repository(db, sessionId, "r", "first");
    await own.worker({
      repositoryVariables: (repositories) => ({ TOKEN: repositories[0]?.secret ?? "none" }),
    });
    const rotated = once(own.engine.events, "command").then(() =>
      db.write.query({
        text: "update session_resources set secret = $2 where id = $1",
        values: [id, secrets.seal(resourceSecret(id), "second")],
      }),
    );
    await own.send(sessionId, steps(bash("echo one")));
    await own.until(sessionId, (log) => idles(log) === 1);
    await rotated;
    await own.send(sessionId, steps(bash("echo two")));
    await own.until(sessionId, (log) => idles(log) === 2);
    const given = own.engine.commands.map(({ environment }) => environment ?? {});
    assert.deepEqual(
      given.map(({ BERTH_GIT_CREDENTIALS_VERSION: _, ...variables }) => variables),
      [
        { A: "shared", B: "own", TOKEN: "first" },
        { A: "shared", B: "own", TOKEN: "second" },
      ],
    );
    assert.equal(new Set(given.map((one) => one.BERTH_GIT_CREDENTIALS_VERSION)).size, 2);
  });

  test("the sandbox dies → the next command opens another on the same disk", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    const sessionId = await seedSession(db.write, await seed(db.write));
    await own.worker();
    await own.send(sessionId, steps(bash("die"), bash("echo two"), { say: "Done." }));
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    assert.equal(types(log).filter((type) => type === "session.container_started").length, 2);
    assert.equal(own.engine.specs[0]?.disk, own.engine.specs[1]?.disk);
  });

  test("the sandbox cannot be opened → reported in the log and to the model, and the turn continues", async (t) => {
    const db = await testDatabase(t);
    const own = await installation(t, db);
    own.engine.failsToOpen = true;
    const sessionId = await seedSession(db.write, await seed(db.write));
    await own.worker();
    await own.send(sessionId, steps(bash("echo one"), { say: "Done." }));
    const log = await own.until(sessionId, (entries) => idles(entries) === 1);
    const error = log.find(({ event }) => event.type === "session.error")?.event;
    assert.ok(error?.type === "session.error" && error.error.type === "sandbox_error");
    const result = log.find(({ event }) => event.type === "agent.tool_result")?.event;
    assert.ok(result?.type === "agent.tool_result" && result.is_error);
    assert.ok(types(log).includes("agent.message"));
  });
});

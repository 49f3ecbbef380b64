import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { processStart } from "@berth/linux";
import { silentLog } from "../../../test-support/database.ts";
import {
  serverProcesses,
  type TemporaryInstance,
  temporaryInstance,
} from "../../../test-support/embedded-postgres.ts";
import { DatabaseUnavailableError } from "../database-error.ts";
import { type Database, openDatabase } from "../pool.ts";
import { type SupervisedPostgres, superviseEmbeddedPostgres } from "./supervise-embedded-postgres.ts";

const WRITERS = 8;
const ROWS_BEFORE_KILL = 200;

test("the server and all its processes are killed under load → it restarts with every acknowledged row", async (t) => {
  const { db } = await supervised(temporaryInstance(t));
  await db.write.query({ text: "create table notes (id bigint primary key)" });
  const acknowledged = new Set<number>();
  for (let round = 0; round < 3; round++) {
    const killed = await postmasterOf(db);
    await writeUntilKilled(db, acknowledged, () => killServer(killed));
    const rows = await rowsOf(db);
    assert.equal(processStart(killed), undefined);
    assert.deepEqual(
      [...acknowledged].filter((id) => !rows.has(id)),
      [],
      `round ${round}`,
    );
  }
});

test("only the postmaster is killed → it restarts although workers linger for a moment", async (t) => {
  const { server, db } = await supervised(temporaryInstance(t));
  await db.write.query({ text: "create table notes as select 1::bigint as id" });
  process.kill(server.pid(), "SIGKILL");
  assert.deepEqual([...(await rowsOf(db))], [1]);
});

test("only the postmaster is killed and a process of it is frozen → that one is ended, and the server restarts", async (t) => {
  const { server, db } = await supervised(temporaryInstance(t));
  await db.write.query({ text: "create table notes as select 1::bigint as id" });
  const postmaster = server.pid();
  const frozen = checkpointerOf(postmaster);
  process.kill(frozen, "SIGSTOP");
  process.kill(postmaster, "SIGKILL");
  while (server.pid() === postmaster) await pause(20);
  assert.equal(processStart(frozen), undefined);
  assert.deepEqual([...(await rowsOf(db))], [1]);
});

test("a frozen server → statements fail within seconds", async (t) => {
  const { server } = await supervised(temporaryInstance(t));
  const db = openDatabase({ connection: server.connection, log: silentLog });
  t.after(db.close);
  process.kill(server.pid(), "SIGSTOP");
  const begun = performance.now();
  const results = await Promise.allSettled([
    db.write.query({ text: "select 1" }),
    db.read.query({ text: "select 1" }),
  ]);
  process.kill(server.pid(), "SIGCONT");
  assert.ok(performance.now() - begun < 30_000);
  for (const result of results) {
    assert.ok(result.status === "rejected" && result.reason instanceof DatabaseUnavailableError);
  }
});

test("stop when only the postmaster was killed and a process of it is frozen → nothing runs afterwards", {
  timeout: 60_000,
}, async (t) => {
  const { server } = await supervised(temporaryInstance(t));
  const processes = serverProcesses(server.pid());
  const frozen = checkpointerOf(server.pid());
  process.kill(frozen, "SIGSTOP");
  process.kill(server.pid(), "SIGKILL");
  await server.stop();
  assert.equal(processStart(frozen), undefined);
  // The other processes end by themselves, and the last of them may just be ending.
  while (processes.some((pid) => processStart(pid) !== undefined)) await pause(5);
});

test("stop during a restart → nothing runs afterwards", async (t) => {
  const { server } = await supervised(temporaryInstance(t));
  const killed = server.pid();
  process.kill(killed, "SIGKILL");
  await server.stop();
  assert.equal(processStart(killed), undefined);
  assert.equal(processStart(server.pid()), undefined);
});

/** Returns the checkpointer, a process that lives as long as its server. */
function checkpointerOf(postmaster: number): number {
  const isCheckpointer = (pid: number) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("checkpointer");
  return serverProcesses(postmaster).find(isCheckpointer) ?? assert.fail();
}

async function supervised(
  instance: TemporaryInstance,
): Promise<{ server: SupervisedPostgres; db: Database }> {
  const server = await superviseEmbeddedPostgres({ dataDir: instance.dataDir, log: silentLog });
  const db = openDatabase({ connection: server.connection, log: silentLog });
  instance.onEnd(async () => {
    await db.close();
    await server.stop();
  });
  return { server, db };
}

/**
 * Lets several writers insert rows, one of which calls `kill` midway. Each continues until an insert fails or
 * five succeed after the kill.
 */
async function writeUntilKilled(db: Database, acknowledged: Set<number>, kill: () => void): Promise<void> {
  const first = acknowledged.size * 10;
  let next = first;
  let killed = false;
  async function write(): Promise<void> {
    for (let afterwards = 0; afterwards < 5; afterwards += Number(killed)) {
      next += 1;
      const id = next;
      await db.write.query({ name: "insert_note", text: "insert into notes values ($1)", values: [id] });
      acknowledged.add(id);
      if (killed || id < first + ROWS_BEFORE_KILL) continue;
      killed = true;
      kill();
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: WRITERS }, () => write()));
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  assert.ok(failures.length > 0, "no writer noticed the kill");
  for (const failure of failures) assert.ok(failure instanceof DatabaseUnavailableError, failure);
}

/** Asks the server itself, since its supervisor notices a crash a moment after its clients. */
async function postmasterOf(db: Database): Promise<number> {
  const text = "select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int as pid";
  const { rows } = await db.write.query<{ pid: number }>({ text });
  return rows[0]?.pid ?? 0;
}

/** Kills all processes of the server, so that none of them can shut down cleanly. */
function killServer(postmaster: number): void {
  for (const pid of serverProcesses(postmaster)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ESRCH");
    }
  }
}

/** Reads all rows. The first query after a crash waits for the server, or fails with a retryable error. */
async function rowsOf(db: Database): Promise<Set<number>> {
  for (;;) {
    try {
      const { rows } = await db.write.query<{ id: number }>({ text: "select id from notes" });
      return new Set(rows.map((row) => row.id));
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
    }
  }
}

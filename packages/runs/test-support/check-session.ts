import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LogEntry } from "@berth/agent";
import { formatId } from "@berth/contract";
import type { TestDatabase } from "@berth/store/test-support/database";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { type Installation, types } from "./worker.ts";

interface Row {
  status: string;
  lease_owner: string | null;
  pending: boolean;
}

export async function sessionRow(db: TestDatabase, id: string): Promise<Row | null> {
  const { rows } = await db.write.query<Row>({
    text: "select status, lease_owner, pending_at is not null as pending from sessions where id = $1",
    values: [id],
  });
  return rows[0] ?? null;
}

/** Checks a session that was released, and how it ended. */
export async function checkSession(
  own: Installation,
  db: TestDatabase,
  id: string,
  end: string,
): Promise<void> {
  const disk = join(own.disks, formatId("session", id));
  assert.deepEqual(own.engine.overlaps, []);
  assert.equal(own.engine.openDisks.get(disk) ?? 0, 0, "its sandboxes are closed");
  const row = await sessionRow(db, id);
  if (end !== "none") assert.equal(existsSync(disk), false, "its disk is gone");
  if (end === "delete") return assert.equal(row, null);
  assert.equal(row?.status, end === "terminate" ? "terminated" : "idle");
  checkLog(await readLog(db.read, id), end);
  if (end === "none") assert.deepEqual(await missingFiles(db, id), [], "all files are in place");
}

async function missingFiles(db: TestDatabase, id: string): Promise<object[]> {
  const text = "select id from session_resources where session_id = $1 and ready_at is null";
  return (await db.write.query({ text, values: [id] })).rows;
}

/** The statuses that can follow each status. */
const FOLLOWING: Readonly<Record<string, readonly string[]>> = {
  idle: ["running", "terminated"],
  running: ["rescheduled", "idle", "terminated"],
  rescheduled: ["running", "rescheduled", "idle", "terminated"],
};

function checkLog(log: readonly LogEntry[], end: string): void {
  assert.deepEqual(
    log.map(({ seq }) => seq),
    log.map((_, place) => place + 1),
  );
  const changes = types(log).flatMap((type) => /^session.status_(\w+)$/.exec(type)?.[1] ?? []);
  for (const [place, change] of changes.entries())
    assert.ok(FOLLOWING[changes[place - 1] ?? "idle"]?.includes(change), changes.join(", "));
  if (end === "terminate") assert.equal(types(log).at(-1), "session.status_terminated");
  else assert.equal(changes.at(-1) ?? "idle", "idle");
  for (const { event } of log) assert.notEqual(event.processed_at, null, `${event.type} is processed`);
  if (end === "terminate") return;
  const requests = log.flatMap(({ event }) => (event.type === "span.model_request_start" ? [event.id] : []));
  const ends = log.flatMap(({ event }) =>
    event.type === "span.model_request_end" ? [event.model_request_start_id] : [],
  );
  assert.deepEqual(ends, requests);
  const calls = log.flatMap(({ event }) =>
    event.type === "agent.tool_use" || event.type === "agent.custom_tool_use" ? [event.id] : [],
  );
  const results = log.flatMap(({ event }) => {
    if (event.type === "agent.tool_result") return [event.tool_use_id];
    return event.type === "user.custom_tool_result" ? [event.custom_tool_use_id] : [];
  });
  assert.deepEqual(results.sort(), calls);
}

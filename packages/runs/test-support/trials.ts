import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { archiveLocked, markDeleted } from "@berth/api/test-support/internals/features";
import { formatId, type SessionStatus } from "@berth/contract";
import { openDiskBlobs } from "@berth/store/blobs";
import { appendInputs, appendTerminated } from "@berth/store/session-log";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { type DatabaseApart, databaseApart } from "@berth/store/test-support/database-apart";
import { readLog } from "@berth/store/test-support/internals/session-log";
import { type Seed, seed, seedSession } from "@berth/store/test-support/runs";
import type { Worker, WorkerOptions } from "../src/session/worker.ts";
import { checkSession, sessionRow } from "./check-session.ts";
import { type Course, SHORT_LEASE_MS, type Step } from "./courses.ts";
import { insertFileResource } from "./resources.ts";
import { type Installation, installation } from "./worker.ts";

const TOOLS = [
  {
    type: "agent_toolset_20260401",
    enabled_tools: ["Bash", "Write"],
    configs: [{ name: "Write", enabled: true, permission_policy: { type: "always_ask" } }],
  },
  { type: "custom", name: "ask", description: "Asks.", input_schema: { type: "object" } },
  {
    type: "mcp_toolset",
    mcp_server_name: "away",
    default_config: { enabled: true, permission_policy: { type: "always_ask" } },
    configs: [],
  },
];
/** Nothing listens at this address, so each turn asks the server again. */
const SERVERS = [{ type: "url", name: "away", url: "http://127.0.0.1:1/mcp" }];
/** Milliseconds of a lease that no worker lets expire. */
const LEASE_MS = 600_000;
const SETTLED_MS = 40_000;

export interface TrialsOptions {
  /** Turns at once of each worker. Default: as in `WorkerOptions`. */
  concurrency?: number;
  /** Whether steps cut workers' connections to the database, so that leases expire. Default: false. */
  isCut?: boolean;
}

/** Two workers of one installation. Steps replace or cut off the older one. */
export class Trials {
  readonly #own: Installation;
  readonly #db: TestDatabase;
  readonly #from: Seed;
  readonly #workers: { worker: Worker; apart: DatabaseApart | undefined }[] = [];
  readonly #options: Partial<WorkerOptions>;
  readonly #connect: () => Promise<DatabaseApart | undefined>;

  static async open(t: TestContext, { isCut = false, ...options }: TrialsOptions = {}): Promise<Trials> {
    const db = await testDatabase(t);
    const connect = async () => (isCut ? await databaseApart(t, db) : undefined);
    const leaseMs = isCut ? SHORT_LEASE_MS : LEASE_MS;
    const all = { leaseMs, pollMs: 200, sandboxIdleMs: 20, graceMs: 20, ...options };
    const trials = new Trials(await installation(t, db), db, await seed(db.write), all, connect);
    await trials.#begin();
    await trials.#begin();
    return trials;
  }

  private constructor(
    own: Installation,
    db: TestDatabase,
    from: Seed,
    options: Partial<WorkerOptions>,
    connect: () => Promise<DatabaseApart | undefined>,
  ) {
    this.#own = own;
    this.#db = db;
    this.#from = from;
    this.#options = options;
    this.#connect = connect;
  }

  /** Takes a session through the course. @throws when it is not released, or is in a wrong state then. */
  async take({ before, end, after }: Course): Promise<void> {
    const [own, db] = [this.#own, this.#db];
    const id = await seedSession(db.write, this.#from);
    await db.write.query({
      text: "update sessions set agent = agent::jsonb || $2 where id = $1",
      values: [id, JSON.stringify({ tools: TOOLS, mcp_servers: SERVERS })],
    });
    for (const one of before) await this.#perform(id, one);
    await endBy(own, db, id, end);
    for (const one of after) await this.#perform(id, one);
    await settled(own, db, id);
    await checkSession(own, db, id, end);
  }

  async #perform(id: string, one: Step): Promise<void> {
    if ("send" in one) await this.#own.send(id, one.send);
    else if ("pause" in one) await pause(one.pause);
    else if ("cut" in one) void this.#cut(one.cut, one.milliseconds);
    else if ("reply" in one) await reply(this.#own, this.#db, id, one.reply);
    else if (one.do === "interrupt") await this.#own.interrupt(id);
    else if (one.do === "go") this.#own.engine.events.emit("go", "linger");
    else if (one.do === "add file") await addFile(this.#own, this.#db, id);
    else if (one.do === "settle") await settled(this.#own, this.#db, id);
    else {
      const oldest = this.#workers.shift();
      await Promise.all([oldest?.worker.close(), this.#begin()]);
      await oldest?.apart?.close();
    }
  }

  async #begin(): Promise<void> {
    const apart = await this.#connect();
    const db = apart === undefined ? {} : { db: apart.db };
    const worker = await this.#own.worker({ ...this.#options, ...db });
    this.#workers.push({ worker, apart });
  }

  async #cut(how: "stall" | "break", milliseconds: number): Promise<void> {
    const network = this.#workers[0]?.apart?.network;
    network?.[how]();
    await pause(milliseconds);
    network?.pass();
  }
}

async function endBy(own: Installation, db: TestDatabase, id: string, end: string): Promise<void> {
  if (end === "archive")
    await db.transaction(async (tx) => {
      const text = "select id, status from sessions where id = $1 for update";
      const { rows } = await tx.query<{ id: string; status: SessionStatus }>({ text, values: [id] });
      if (rows[0] !== undefined) await archiveLocked(tx, rows[0]);
    });
  if (end === "terminate") await appendTerminated(db.write, id);
  if (end === "delete") await markDeleted(db.write, [id]);
  own.hub.publish(id, true);
}

/** Answers the calls that wait for a client. The service rejects answers to calls that no longer wait. */
async function reply(
  own: Installation,
  db: TestDatabase,
  id: string,
  result: "allow" | "deny",
): Promise<void> {
  const { rows } = await db.write.query<{ awaited: string[] }>({
    text: "select awaited_calls as awaited from sessions where id = $1",
    values: [id],
  });
  const awaited = (rows[0]?.awaited ?? []).map((uuid) => formatId("event", uuid));
  const log = await readLog(db.read, id);
  for (const { event } of log.filter(({ event }) => awaited.includes(event.id))) {
    const content = [{ type: "text" as const, text: "42" }];
    const input =
      event.type === "agent.custom_tool_use"
        ? { type: "user.custom_tool_result" as const, custom_tool_use_id: event.id, content, is_error: false }
        : { type: "user.tool_confirmation" as const, tool_use_id: event.id, result };
    await appendInputs(db.write, id, [input]);
  }
  own.hub.publish(id, true);
}

/** Adds a file, also to a session that has ended meanwhile, as an earlier request may do. */
async function addFile(own: Installation, db: TestDatabase, id: string): Promise<void> {
  if ((await sessionRow(db, id)) === null) return;
  const blobs = await openDiskBlobs(own.blobs);
  await db.transaction(async (tx) => {
    const text = "update sessions set pending_at = coalesce(pending_at, now()) where id = $1";
    const { rowCount } = await tx.query({ text, values: [id] });
    if (rowCount > 0) await insertFileResource(tx, blobs, id, { content: "a" });
  });
  own.hub.publish(id, true);
}

/** Lets commands end, and interrupts those that would not. */
async function settled(own: Installation, db: TestDatabase, id: string): Promise<void> {
  await own.interrupt(id);
  const deadline = performance.now() + SETTLED_MS;
  for (;;) {
    own.engine.events.emit("go", "linger");
    const row = await sessionRow(db, id);
    if (row === null || (row.lease_owner === null && !row.pending)) return;
    assert.ok(performance.now() < deadline, `not released: ${JSON.stringify(row)}`);
    await pause(5);
  }
}

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { formatId } from "@berth/contract";
import fc from "fast-check";
import { openDiskBlobs } from "../src/blobs/disk/disk-blobs.ts";
import { readLog } from "../src/features/sessions/events/event-store.ts";
import { appendInputs, appendTerminated } from "../src/features/sessions/events/input-store.ts";
import { markArchived, markDeleted } from "../src/features/sessions/session-store.ts";
import type { Worker, WorkerOptions } from "../src/runs/session/worker.ts";
import { checkSession, sessionRow } from "./check-session.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { insertFileResource } from "./resources.ts";
import { type Seed, seed, seedSession } from "./runs.ts";
import { bash, type Installation, installation, steps } from "./worker.ts";

export const TEXTS = {
  says: steps({ say: "Done." }),
  runs: steps(bash("echo one"), { say: "Done." }),
  lingers: steps(bash("linger"), { say: "Done." }),
  hangs: steps(bash("hang"), { say: "Never." }),
  dies: steps(bash("die"), { say: "Done." }),
  asks: steps({ tool: "ask", input: {} }, { say: "Done." }),
  writes: steps({ tool: "Write", input: { file_path: "/data/a", content: "b" } }, { say: "Done." }),
  calls: steps(
    {
      tools: [
        bash("linger"),
        { tool: "ask", input: {} },
        { tool: "Write", input: { file_path: "/data/a", content: "b" } },
      ],
    },
    { say: "Done." },
  ),
  fails: steps({ fail: "overloaded" }, { say: "Done." }),
  waits: steps({ wait_ms: 200 }, { say: "Done." }),
};
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
/** Nobody listens there, so that each turn asks it. */
const SERVERS = [{ type: "url", name: "away", url: "http://127.0.0.1:1/mcp" }];
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...Object.values(TEXTS)).map((text) => ({ send: text })) },
  { weight: 2, arbitrary: fc.constant({ do: "interrupt" as const }) },
  { weight: 3, arbitrary: fc.constant({ do: "replace" as const }) },
  { weight: 3, arbitrary: fc.constantFrom("allow" as const, "deny" as const).map((reply) => ({ reply })) },
  { weight: 3, arbitrary: fc.constantFrom({ do: "go" as const }, { do: "settle" as const }) },
  { weight: 2, arbitrary: fc.constant({ do: "add file" as const }) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 60 }).map((milliseconds) => ({ pause: milliseconds })) },
);
const ending = fc.constantFrom("archive" as const, "terminate" as const, "delete" as const, "none" as const);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Of a lease that no worker lets expire, and of what waits for that. */
const LEASE_MS = 600_000;
const SETTLED_MS = 40_000;

/** What becomes of one session: steps, an end, and what comes after that all the same. */
export interface Course {
  before: Step[];
  end: "archive" | "terminate" | "delete" | "none";
  after: Step[];
}

export const course: fc.Arbitrary<Course> = fc.record({
  before: fc.array(step, { maxLength: 8 }),
  end: ending,
  after: fc.array(step, { maxLength: 3 }),
});

/** Two workers of one installation, of which each that is replaced is the older one. */
export class Trials {
  readonly #own: Installation;
  readonly #db: TestDatabase;
  readonly #from: Seed;
  readonly #workers: Worker[] = [];
  readonly #options: Partial<WorkerOptions>;

  static async open(t: TestContext, options: Partial<WorkerOptions> = {}): Promise<Trials> {
    const db = await testDatabase(t);
    const trials = new Trials(await installation(t, db), db, await seed(db.write), options);
    await trials.#begin();
    await trials.#begin();
    return trials;
  }

  private constructor(own: Installation, db: TestDatabase, from: Seed, options: Partial<WorkerOptions>) {
    this.#own = own;
    this.#db = db;
    this.#from = from;
    this.#options = { leaseMs: LEASE_MS, pollMs: 200, sandboxIdleMs: 20, graceMs: 20, ...options };
  }

  /** A session takes the course. @throws when it is not released, or is not what it has to be then. */
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
    else if ("reply" in one) await reply(this.#own, this.#db, id, one.reply);
    else if (one.do === "interrupt") await this.#own.interrupt(id);
    else if (one.do === "go") this.#own.engine.events.emit("go", "linger");
    else if (one.do === "add file") await addFile(this.#own, this.#db, id);
    else if (one.do === "settle") await settled(this.#own, this.#db, id);
    else {
      const oldest = this.#workers.shift();
      await Promise.all([oldest?.close(), this.#begin()]);
    }
  }

  async #begin(): Promise<void> {
    this.#workers.push(await this.#own.worker(this.#options));
  }
}

async function endBy(own: Installation, db: TestDatabase, id: string, end: string): Promise<void> {
  if (end === "archive")
    await db.transaction(async (tx) => {
      const text = "select status from sessions where id = $1 for update";
      const { rows } = await tx.query<{ status: string }>({ text, values: [id] });
      if (rows[0]?.status === "running") await appendInputs(tx, id, [{ type: "user.interrupt" }]);
      await markArchived(tx, id);
    });
  if (end === "terminate") await appendTerminated(db.write, id);
  if (end === "delete") await markDeleted(db.write, [id]);
  own.hub.publish(id, true);
}

/** Answers the calls that wait for a client. What is no longer awaited is refused. */
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

/** Also to a session that has ended meanwhile, as a request may that came before. */
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

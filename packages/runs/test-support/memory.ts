import type { TestContext } from "node:test";
import { formatId, newUuid } from "@berth/contract";
import type { Sandbox } from "@berth/sandbox";
import type { Database } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { insertMemory, insertMemoryStore, modifyMemory, removeMemory } from "@berth/store/memories";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { readHeads } from "../src/memory/memory-head-store.ts";
import { MountedStore } from "../src/memory/mounted-store.ts";
import { testSandbox } from "./sandbox.ts";

/** A store mounted at `/mnt/memory/notes` in a real sandbox without network. */
export interface TestMount {
  db: Database;
  lease: Lease;
  storeId: string;
  sandbox: Sandbox;
  store: MountedStore;
  /** Returns the store as another process with the same disk has it. */
  again(): MountedStore;
  /** Runs a script in the mount, which must succeed, and returns its output. */
  sh(script: string): Promise<string>;
  /** Changes a memory as a caller of the API would; null removes it. */
  change(path: string, content: string | null): Promise<void>;
  /** Returns contents by path. */
  memories(): Promise<Record<string, string>>;
  versions(): Promise<number>;
}

const ROOT = "/mnt/memory/notes";
const API_ACTOR = { type: "api_actor", token_id: "tok_1", principal_id: "usr_1" } as const;

export async function testMount(t: TestContext): Promise<TestMount> {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const sessionId = await seedSession(db.write, from);
  const lease = await seedLease(db.write, sessionId, "tester");
  const owner = {
    organization_id: from.organizationId,
    owner_type: "organization",
    owner_id: from.organizationId,
    organization_access: null,
  } as const;
  const { id: storeId } = await insertMemoryStore(db.write, {
    id: newUuid(),
    ...owner,
    name: "notes",
    description: null,
    metadata: {},
  });
  const sandbox = await testSandbox(t, { id: formatId("session", sessionId), writable: [ROOT] });
  const again = () =>
    new MountedStore({ db, mask: (text) => text }, lease, {
      id: newUuid(),
      type: "memory_store",
      mountPath: ROOT,
      ready: true,
      failure: null,
      failedAt: null,
      inputs: "",
      storeId,
      access: "read_write",
      name: "notes",
      description: null,
      instructions: null,
    });
  return {
    db,
    lease,
    storeId,
    sandbox,
    store: again(),
    again,
    async sh(script) {
      const { exitCode, output } = await sandbox.run({ script, cwd: ROOT, timeoutMs: 15_000 });
      const text = Buffer.from(output).toString("utf8");
      if (exitCode !== 0) throw new Error(`${script}: ${exitCode} ${text}`);
      return text;
    },
    async change(path, content) {
      await db.transaction(async (tx) => {
        const head = (await readHeads(tx, storeId)).get(path);
        const memory = head && { ...head, memory_store_id: storeId };
        if (content === null && memory !== undefined) return await removeMemory(tx, memory, API_ACTOR);
        const wanted = { path, content: content ?? "" };
        const outcome =
          memory === undefined
            ? await insertMemory(tx, storeId, API_ACTOR, wanted)
            : await modifyMemory(tx, memory, API_ACTOR, wanted);
        if ("conflict" in outcome) throw new Error(outcome.conflict);
      });
    },
    async memories() {
      const text = "select path, content from memories where memory_store_id = $1 order by path";
      const { rows } = await db.write.query<{ path: string; content: string }>({ text, values: [storeId] });
      return Object.fromEntries(rows.map(({ path, content }) => [path, content]));
    },
    async versions() {
      const text = "select count(*)::integer as count from memory_versions where memory_store_id = $1";
      const { rows } = await db.write.query<{ count: number }>({ text, values: [storeId] });
      return rows[0]?.count ?? 0;
    },
  };
}

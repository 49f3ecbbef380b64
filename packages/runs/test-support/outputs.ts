import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";
import type { Command, Sandbox } from "@berth/sandbox";
import type { Lease } from "@berth/store/leases";
import { diskStore, type TestStore } from "@berth/store/test-support/blob-stores";
import type { TestDatabase } from "@berth/store/test-support/database";
import { type Seed, seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { type Collection, collectOutputs } from "../src/outputs/collect-outputs.ts";
import type { CollectDeps } from "../src/outputs/collecting.ts";
import { LIST_SCRIPT, OUTPUTS } from "../src/outputs/list-outputs.ts";
import { testSandbox } from "./sandbox.ts";

export interface CollectChanges extends Partial<CollectDeps> {
  /** A script that runs in the outputs between the listing and the reading. */
  meanwhile?: string;
  signal?: AbortSignal;
  /** Changes each command of the service. */
  command?(command: Command): Command;
}

/** Sessions whose outputs are collected from one real sandbox. */
export interface TestOutputs extends TestStore {
  sandbox: Sandbox;
  /** Scripts of the commands of the service. */
  commands: string[];
  /** Runs a script in the outputs, which must succeed. */
  sh(script: string): Promise<void>;
  session(): Promise<TestSession>;
}

export interface TestSession {
  id: string;
  lease: Lease;
  /** Leases the session anew, as a later run does. */
  claim(): Promise<Lease>;
  /** Collects with the session's latest lease. */
  collect(changes?: CollectChanges): Promise<Collection>;
  /** Returns `name:content` of each file, sorted. */
  saved(): Promise<string[]>;
}

export async function testOutputs(
  t: TestContext,
  open: (t: TestContext) => Promise<TestStore> = diskStore,
): Promise<TestOutputs> {
  const store = await open(t);
  const sandbox = await testSandbox(t, { id: "outputs" });
  const from = await seed(store.db.write);
  const commands: string[] = [];
  const sh = async (script: string) => {
    const { exitCode, output } = await sandbox.run({ script, cwd: OUTPUTS, timeoutMs: 60_000 });
    assert.equal(exitCode, 0, `${script}\n${Buffer.from(output)}`);
  };
  const observed = ({ meanwhile, command = (same) => same }: CollectChanges): Sandbox => ({
    ...sandbox,
    isUntouched: async () => false,
    async run(given) {
      commands.push(given.script);
      const result = await sandbox.run(command(given));
      if (given.script === LIST_SCRIPT && meanwhile !== undefined) await sh(meanwhile);
      return result;
    },
  });
  return { ...store, sandbox, commands, sh, session: () => session(store, from, observed) };
}

async function session(
  { db, blobs }: TestStore,
  from: Seed,
  observed: (changes: CollectChanges) => Sandbox,
): Promise<TestSession> {
  const id = await seedSession(db.write, from);
  const made: TestSession = {
    id,
    lease: await seedLease(db.write, id, "worker"),
    async claim() {
      made.lease = await seedLease(db.write, id, "worker");
      return made.lease;
    },
    async collect(changes = {}) {
      const parts = { db, blobs, mask: (text: string) => text, ...changes };
      const limits = { files: 1_000, fileBytes: 2 ** 24, totalBytes: 2 ** 26 };
      const { signal = new AbortController().signal } = changes;
      return await collectOutputs(parts, { lease: made.lease, sandbox: observed(changes), limits, signal });
    },
    saved: () => savedFiles(db, blobs, id),
  };
  return made;
}

async function savedFiles(db: TestDatabase, blobs: TestStore["blobs"], id: string): Promise<string[]> {
  const { rows } = await db.write.query<{ filename: string; sha256: string; size_bytes: number }>({
    text: "select filename, sha256, size_bytes from files where scope_session_id = $1",
    values: [id],
  });
  const files: string[] = [];
  for (const { filename, sha256, size_bytes: size } of rows) {
    const content = await buffer(blobs.read(sha256));
    assert.equal(content.length, size);
    files.push(`${filename}:${content.toString("latin1")}`);
  }
  return files.toSorted();
}

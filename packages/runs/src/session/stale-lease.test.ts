// Subject: every statement of a run, called with a lease that is not the present one of the session.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Draft, LeaseLost } from "@berth/agent";
import { formatId, newUuid } from "@berth/contract";
import type { Queryable } from "@berth/store/db";
import type { Lease } from "@berth/store/leases";
import { type TestDatabase, testDatabase } from "@berth/store/test-support/database";
import { removePermit, storePermit } from "@berth/store/test-support/internals/leases";
import { seed, seedLease, seedSession } from "@berth/store/test-support/runs";
import { clearCallOutputs, storeCallOutputs } from "../call-outputs/output-store.ts";
import { assignDisk, clearDisk, readDisk } from "../disks/disk-store.ts";
import { beginRestore, beginSave, finishRestore, forgetSave, storeSave } from "../disks/saves/save-store.ts";
import {
  beginTaking,
  finishTaking,
  markUnverified,
} from "../disks/volume-snapshots/volume-snapshot-store.ts";
import { markAllAbsent, markExhaustedDue } from "../inputs/placement-store.ts";
import { appendChoice } from "../lease/append-choice.ts";
import {
  appendByRun,
  appendIdle,
  appendReclaimed,
  appendRunning,
  appendSummaryStart,
  appendTakingInputs,
  takeReplies,
} from "../lease/append-events.ts";
import { appendPlacement, type PlacementOutcome } from "../lease/append-placement.ts";
import { beginTurn } from "../lease/begin-turn.ts";
import { handOverRun, releaseRun, renewLeases } from "../lease/claim-runs.ts";
import { dropSummary, summaryDueIn } from "../lease/claim-summaries.ts";
import { beginTrial } from "../lease/crashed-store.ts";
import { clearPending, deleteSessionRow } from "../lease/session-state.ts";
import { markMcpServersStale, storeMcpTools } from "../mcp/mcp-tool-store.ts";
import { lockLease } from "../memory/mount-base-store.ts";
import { areOutputsDue, markOutputsDue, storeOutput } from "../outputs/output-store.ts";
import { answerRead } from "../reads/waiting-read-store.ts";
import { claimMirror } from "../repositories/snapshots/mirror-store.ts";
import { claimSnapshot, insertSnapshot, releaseSnapshot } from "../repositories/snapshots/snapshot-store.ts";
import { storeTunnel, updateTunnel } from "../tunnels/tunnel-store.ts";

const HOST = "here";
const URL = "https://git.example.com/acme/widget";
const SNAPSHOT = { checkout: "branch main", refsDigest: "now" };
const VOLUME_KEY = { place: "there", repositories: "some", bytes: 1 };
const READ = newUuid();
const TUNNEL = newUuid();
const POLICY = { mode: "limited", hosts: ["a.example"] } as const;
const LIMITS = { memoryBytes: 1, pids: 1, cpus: 1, diskBytes: null };
const SHAPE = { limits: LIMITS, image: null, runtimeClass: null, writable: [], hasTunnel: false };
const WISH = { key: "plain", shape: SHAPE };
const DRAFTS: Draft[] = [{ event: { type: "session.status_running" } }];

const SAVE = { sha256: "0".repeat(64), size: 1, seq: 0, inPlace: [], bases: [] };
const SAVED = `insert into workspace_saves (session_id, sha256, size_bytes, saved_at, seq, in_place, bases, contents, restoring)
  values ($1, '', 1, now(), 0, '{}', '[]', '{}', false)`;

const SUMMARY_DUE =
  "update sessions set summary_due_at = now() + interval '1 hour', status = 'idle', pending_at = null where id = $1";

const OUTCOMES: readonly PlacementOutcome[] = [
  { type: "ready", commit: null },
  { type: "failed", failure: "no", inputs: "", attempts: 0 },
  { type: "retrying", waitMs: 1_000, revision: 0 },
];

/** A call that runs one statement under a lease. */
interface Case {
  /** Name of the prepared statement. */
  statement: string;
  /** SQL that prepares the session such that the statement would change it, or return rows. */
  prepare?: string;
  call(db: Queryable, lease: Lease, resource: string): Promise<unknown>;
  /** The result for a stale lease. */
  refused: "throws" | false | null | undefined;
}

const CASES: readonly Case[] = [
  { statement: "append_by_run", call: (db, lease) => appendByRun(db, lease, DRAFTS), refused: "throws" },
  {
    statement: "begin_turn",
    prepare: "update sessions set pending_at = now() where id = $1",
    call: (db, lease) => beginTurn(db, lease),
    refused: "throws",
  },
  { statement: "append_running", call: (db, lease) => appendRunning(db, lease), refused: "throws" },
  {
    statement: "append_choice",
    call: (db, lease) =>
      appendChoice(db, lease, DRAFTS, { runtimes: null, devcontainer: null, variables: {}, setup: null }),
    refused: "throws",
  },
  { statement: "append_idle", call: (db, lease) => appendIdle(db, lease, DRAFTS), refused: "throws" },
  {
    statement: "append_reclaimed",
    call: (db, lease) => appendReclaimed(db, lease, "inactivity"),
    refused: "throws",
  },
  {
    statement: "append_taking_inputs",
    call: (db, lease) => appendTakingInputs(db, lease, DRAFTS),
    refused: "throws",
  },
  { statement: "take_answers", call: (db, lease) => takeReplies(db, lease), refused: "throws" },
  {
    statement: "take_due",
    prepare: "update sessions set pending_at = now() where id = $1",
    call: (db, lease) => clearPending(db, lease),
    refused: "throws",
  },
  {
    statement: "remove_deleted",
    prepare: "update sessions set deleted_at = now(), home = null where id = $1",
    call: (db, lease) => deleteSessionRow(db, lease),
    refused: false,
  },
  {
    statement: "renew_leases",
    call: async (db, lease) => (await renewLeases(db, lease.owner, 7_200_000, [lease])).has(lease.sessionId),
    refused: false,
  },
  { statement: "release_run", call: (db, lease) => releaseRun(db, lease), refused: false },
  { statement: "hand_over_run", call: (db, lease) => handOverRun(db, lease), refused: undefined },
  { statement: "read_disk", call: (db, lease) => readDisk(db, lease), refused: "throws" },
  { statement: "enter_disk", call: (db, lease) => assignDisk(db, lease, "there"), refused: "throws" },
  {
    statement: "enter_warm_disk",
    call: (db, lease) => assignDisk(db, lease, "there", WISH),
    refused: "throws",
  },
  { statement: "leave_disk", call: (db, lease) => clearDisk(db, lease, HOST), refused: undefined },
  ...OUTCOMES.map((outcome) => ({
    statement: `append_${outcome.type}`,
    call: (db: Queryable, lease: Lease, resource: string) =>
      appendPlacement(db, lease, DRAFTS, resource, outcome),
    refused: "throws" as const,
  })),
  {
    statement: "resources_due",
    prepare: "update session_resources set attempts = 1, failed_inputs = '' where session_id = $1",
    call: (db, lease) => markExhaustedDue(db, lease),
    refused: undefined,
  },
  {
    statement: "resources_absent",
    prepare: "update session_resources set ready_at = now() where session_id = $1",
    call: (db, lease) => markAllAbsent(db, lease),
    refused: undefined,
  },
  {
    statement: "claim_repository_snapshot",
    call: (db, lease, resource) => claimSnapshot(db, lease, resource, { host: HOST, ...SNAPSHOT }),
    refused: null,
  },
  {
    statement: "release_repository_snapshot",
    prepare: `update session_resources set snapshot_id = (select max(id::text)::uuid from repository_snapshots)
      where session_id = $1`,
    call: (db, lease, resource) => releaseSnapshot(db, lease, resource),
    refused: undefined,
  },
  {
    statement: "store_output",
    call: (db, lease) =>
      storeOutput(db, lease, Buffer.from("a"), { sha256: "0".repeat(64), stamp: "1" }, null),
    refused: "throws",
  },
  { statement: "outputs_due", call: (db, lease) => areOutputsDue(db, lease), refused: "throws" },
  { statement: "mark_outputs_due", call: (db, lease) => markOutputsDue(db, lease, true), refused: "throws" },
  {
    statement: "store_mcp_tools",
    call: (db, lease) => storeMcpTools(db, lease, "x", { tools: [], instructions: null }),
    refused: "throws",
  },
  {
    statement: "mark_mcp_servers_stale",
    prepare: "insert into session_mcp_tools (session_id, server_name, tools) values ($1, 'x', '[]')",
    call: (db, lease) => markMcpServersStale(db, lease, ["x"]),
    refused: undefined,
  },
  {
    statement: "begin_trial",
    call: (db, lease) => beginTrial(db, lease),
    refused: undefined,
  },
  {
    statement: "store_turn_permit",
    call: (db, lease) => storePermit(db, lease, { organizationId: newUuid(), ownerId: newUuid() }),
    refused: false,
  },
  {
    statement: "remove_turn_permit",
    prepare: `insert into turn_permits (session_id, organization_id, owner_id, lease_owner, lease_epoch)
      select id, organization_id, owner_id, lease_owner, lease_epoch from sessions where id = $1`,
    call: (db, lease) => removePermit(db, lease),
    refused: undefined,
  },
  {
    statement: "store_call_outputs",
    call: (db, lease) => storeCallOutputs(db, lease, new Map([[formatId("event", newUuid()), "x"]])),
    refused: undefined,
  },
  {
    statement: "clear_call_outputs",
    prepare: "insert into call_outputs (session_id, call_id, printed) values ($1, gen_random_uuid(), '')",
    call: (db, lease) => clearCallOutputs(db, lease),
    refused: undefined,
  },
  {
    statement: "answer_read",
    prepare: `insert into workspace_reads (id, session_id, request, expires_at)
      values ('${READ}', $1, '{}', now() + interval '1 hour')`,
    call: (db, lease) =>
      answerRead(db, lease, READ, { answer: { ok: false, reason: "failed" }, content: null }),
    refused: false,
  },
  { statement: "begin_save", call: (db, lease) => beginSave(db, lease), refused: "throws" },
  { statement: "store_save", call: (db, lease) => storeSave(db, lease, SAVE), refused: "throws" },
  { statement: "begin_restore", prepare: SAVED, call: (db, lease) => beginRestore(db, lease), refused: null },
  {
    statement: "finish_restore",
    prepare: SAVED.replace("false)", "true)"),
    call: (db, lease) => finishRestore(db, lease),
    refused: "throws",
  },
  {
    statement: "forget_save",
    prepare: SAVED,
    call: (db, lease) => forgetSave(db, lease),
    refused: undefined,
  },
  {
    statement: "store_tunnel",
    call: (db, lease) => storeTunnel(db, lease, { id: TUNNEL, tokenHash: Buffer.alloc(32), policy: POLICY }),
    refused: false,
  },
  {
    statement: "update_tunnel",
    prepare: `insert into egress_tunnels (session_id, id, owner, epoch, token_hash, policy)
      select id, '${TUNNEL}', lease_owner, lease_epoch, '', '{}' from sessions where id = $1`,
    call: (db, lease) => updateTunnel(db, lease, TUNNEL, POLICY),
    refused: null,
  },
  {
    statement: "begin_volume_snapshot",
    call: (db, lease) => beginTaking(db, lease, VOLUME_KEY, false),
    refused: null,
  },
  {
    statement: "finish_volume_snapshot",
    prepare: `insert into volume_snapshots (id, organization_id, place, repositories, bytes)
      select '${TUNNEL}', organization_id, 'there', 'some', 1 from sessions where id = $1`,
    call: (db, lease) => finishTaking(db, lease, { id: TUNNEL, refsDigest: "shown", cloneSeconds: 1 }),
    refused: false,
  },
  { statement: "verify_disk", call: (db, lease) => markUnverified(db, lease), refused: "throws" },
  { statement: "hold_lease", call: (db, lease) => lockLease(db, lease), refused: "throws" },
  {
    statement: "append_summary_start",
    prepare: SUMMARY_DUE,
    call: (db, lease) =>
      appendSummaryStart(db, lease, [{ event: { type: "span.model_request_start", model: "a/model" } }]),
    refused: null,
  },
  {
    statement: "drop_summary",
    prepare: SUMMARY_DUE,
    call: (db, lease) => dropSummary(db, lease),
    refused: undefined,
  },
  {
    statement: "summary_due_in",
    prepare: SUMMARY_DUE,
    call: (db, lease) => summaryDueIn(db, lease),
    refused: null,
  },
];

/** These statements only read: with a present lease they change nothing either. */
const READS = new Set(["read_disk", "outputs_due", "begin_save", "hold_lease", "summary_due_in"]);

describe("a lease that is not the session's", () => {
  for (const { statement, prepare, call, refused } of CASES) {
    test(`${statement}: of an older or newer epoch, or of another owner → nothing changes`, async (t) => {
      const { db, lease, resource } = await heldSession(t);
      if (prepare !== undefined) await db.write.query({ text: prepare, values: [lease.sessionId] });
      const before = await contents(db);
      for (const wrong of [
        { ...lease, epoch: lease.epoch - 1 },
        { ...lease, epoch: lease.epoch + 1 },
        { ...lease, owner: "you" },
      ]) {
        const attempt = call(db.write, wrong, resource);
        if (refused === "throws") await assert.rejects(attempt, LeaseLost, JSON.stringify(wrong));
        else assert.equal(await attempt, refused, JSON.stringify(wrong));
        assert.deepEqual(await contents(db), before, JSON.stringify(wrong));
      }
      await call(db.write, lease, resource);
      const changed = JSON.stringify(await contents(db)) !== JSON.stringify(before);
      assert.equal(changed, !READS.has(statement), "with the session's own lease");
    });
  }

  test("every statement that names the epoch is among these", () => {
    const packages = join(import.meta.dirname, "../../..");
    const sources = globSync(["runs/src/**/*.ts", "store/src/**/*.ts"], { cwd: packages });
    const product = sources.filter((file) => !file.endsWith(".test.ts"));
    const named = product.flatMap((file) =>
      readFileSync(join(packages, file), "utf8")
        .split(/\bname: (?=")/)
        .slice(1)
        .filter((text) => /lease_epoch =|\bHELD\b|\bLEASE_IDLE\b/.test(text))
        .map((text) => /^"(\w+)"/.exec(text)?.[1]),
    );
    const claims = [
      "claim_runs",
      "claim_of_owners",
      "claim_reclaimable",
      "claim_ephemeral",
      "claim_for_read",
      "claim_summaries",
      // It ends the leases of a worker that crashed.
      "note_crash",
    ];
    // These check the lease with SQL of their own, or in a function of the database.
    const others = CASES.map(({ statement }) => statement).filter((name) => /^(append_|begin_)/.test(name));
    assert.deepEqual(
      [...new Set([...named, ...others])].toSorted(),
      [...CASES.map(({ statement }) => statement), ...claims].toSorted(),
    );
  });
});

/** Creates a session leased twice to one owner, with a disk here, a repository, and a snapshot of it. */
async function heldSession(t: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(t);
  const sessionId = await seedSession(db.write, await seed(db.write));
  const resource = newUuid();
  await db.write.query({
    text: `insert into session_resources (id, session_id, type, url, mount_path)
      values ($1, $2, 'git_repository', $3, '/data/widget')`,
    values: [resource, sessionId, URL],
  });
  await seedLease(db.write, sessionId, "me");
  const lease = await seedLease(db.write, sessionId, "me");
  await assignDisk(db.write, lease, HOST);
  const mirror = await claimMirror(db.write, sessionId, HOST, URL);
  const snapshot = {
    id: newUuid(),
    mirrorId: mirror?.id ?? "",
    commit: "1".repeat(40),
    bytes: 1,
    ...SNAPSHOT,
  };
  await insertSnapshot(db.write, snapshot);
  return { db, lease, resource };
}

/** Returns a hash of each table's rows. */
async function contents(db: TestDatabase): Promise<Record<string, string>> {
  const { rows: tables } = await db.write.query<{ name: string }>({
    text: "select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  });
  const hashes = tables.map(async ({ name }) => {
    const { rows } = await db.write.query<{ hash: string | null }>({
      text: `select md5(string_agg(t::text, ' ' order by t::text)) as hash from ${name} t`,
    });
    return [name, rows[0]?.hash ?? ""] as const;
  });
  return Object.fromEntries(await Promise.all(hashes));
}

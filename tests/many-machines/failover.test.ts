import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Api } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { makeFile } from "../acceptance/harness/fixtures.ts";
import { NO_LIMITS } from "../acceptance/harness/no-limits.ts";
import type { Machine } from "../crash/machine.ts";
import { newSeed, randomFrom } from "../crash/seed.ts";
import { isSampled, isWhole } from "../effort/effort.ts";
import { ReplicatedPostgres } from "../postgres-server/replicated-postgres.ts";
import { type S3Host, startS3Host } from "../s3-host/s3-host.ts";
import { Cluster, secretKeyOf } from "./harness/cluster.ts";
import { NumberedSession, readAgain } from "./harness/numbered-session.ts";

/** The number of acknowledged messages. A fault comes after each seventh of them. */
const USUAL = isSampled() ? 2_000 : 4_000;
const ACKNOWLEDGED = isWhole("cluster") ? 10_000 : USUAL;
const SESSIONS = 10;
const BINARY = join(import.meta.dirname, "../../bin/berth");

const directory = mkdtempSync(join(tmpdir(), "berth-failover-"));
let postgres: ReplicatedPostgres;
let s3: S3Host;
let cluster: Cluster;
let api: Api;
before(async () => {
  chmodSync(directory, 0o711);
  [postgres, s3] = await Promise.all([
    ReplicatedPostgres.start({ databases: ["berth"], connections: 150 }),
    startS3Host(),
  ]);
  const settings = { BERTH_DATABASE_URL: postgres.url("berth"), BERTH_BLOBS: s3.place };
  cluster = await Cluster.start({ directory, settings: { ...NO_LIMITS, ...settings } });
  api = new Api(cluster.url, await newToken(settings));
});
after(async () => {
  await cluster?.stop();
  s3?.close();
  await postgres?.remove();
  rmSync(directory, { recursive: true, force: true });
});

async function newToken(settings: Record<string, string>): Promise<string> {
  const words = ["bootstrap", "--user", "ada@example.com", "--data-dir", join(directory, "api-1")];
  return await commandWith({ ...settings, BERTH_SECRET_KEY_FILE: secretKeyOf(directory) }, ...words);
}

async function commandWith(settings: Record<string, string>, ...words: string[]): Promise<string> {
  return (await promisify(execFile)(BINARY, words, { env: { ...process.env, ...settings } })).stdout.trim();
}

covers(
  ["database-standby"],
  "a standby among the servers is passed over; alone it ends the start in a sentence, exit code 1",
  async () => {
    const { primary, standby } = postgres;
    const berth = async (...urls: [string, string?]) => {
      const [BERTH_DATABASE_URL = "", BERTH_DATABASE_DIRECT_URL] = urls;
      const direct = BERTH_DATABASE_DIRECT_URL === undefined ? {} : { BERTH_DATABASE_DIRECT_URL };
      const words = ["migrate", "--dry-run", "--data-dir", join(directory, "api-1")];
      return await commandWith({ BERTH_DATABASE_URL, ...direct }, ...words);
    };
    const passed = postgres.url("berth", [standby, primary]);
    assert.match(await berth(passed), /up to date/);
    assert.match(await berth(passed, postgres.url("berth")), /up to date/);
    const fault = `127.0.0.1:${standby.port} accepts no writes: it is a standby`;
    for (const [url, sentence] of [
      [standby.url("berth"), `The database is not available: ${fault}`],
      [
        `postgres://berth@127.0.0.1:${standby.port},127.0.0.1:1/berth`,
        `The database is not available: none of its servers accepts writes (${fault}; 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1)`,
      ],
    ] as const)
      await assert.rejects(berth(url), { code: 1, stderr: `error: ${sentence}\n` });
  },
);

covers(
  ["database-failover"],
  `three APIs and three runners are killed at random, PostgreSQL is restarted and fails over to its standby: of ${ACKNOWLEDGED} acknowledged events none is lost, doubled or out of order, and every turn ends`,
  async (context) => {
    const seed = newSeed();
    context.diagnostic(`seed ${seed}`);
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => NumberedSession.start(api)));
    const kept = await makeFile(api, "before the failover");
    const total = () => sessions.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    const returns: Promise<void>[] = [];
    const began = performance.now();
    const faults = faultsBy(randomFrom(seed), (machine) => returns.push(backAgain(machine)));
    try {
      for (const [place, fault] of faults.entries()) {
        await atLeast(total, (ACKNOWLEDGED * (place + 1)) / (faults.length + 1), sessions, context.signal);
        await fault();
        const seconds = Math.round((performance.now() - began) / 1_000);
        context.diagnostic(`${seconds} s, ${total()} acknowledged: ${fault.name}`);
      }
      await atLeast(total, ACKNOWLEDGED, sessions, context.signal);
      await Promise.all(returns);
    } finally {
      await Promise.all(sessions.map((session) => session.stop()));
    }
    const turns = await Promise.all(sessions.map((session) => session.check()));
    const repeated = sessions.reduce((sum, session) => sum + session.repeated, 0);
    context.diagnostic(
      `${total()} acknowledged, ${repeated} repeated, ${turns.reduce((a, b) => a + b)} turns`,
    );
    assert.ok(repeated > 0, "the faults were noticed");
    const { body } = await readAgain("a file", () => api.get(`/files/${kept.id}/content`));
    assert.equal(body, "before the failover");
    for (const { berth } of cluster.machines) await berth.ready();
  },
);

/** Returns the faults in order: kills of randomly chosen machines between those of the database. */
function faultsBy(random: () => number, onKilled: (machine: Machine) => void): Array<() => Promise<void>> {
  const oneOf = (machines: readonly Machine[]) => machines[Math.floor(random() * machines.length)] as Machine;
  const kill = async (machine: Machine) => {
    await machine.end("SIGKILL");
    onKilled(machine);
  };
  return [
    async function apiKilled() {
      await kill(oneOf(cluster.apis));
    },
    async function runnerKilled() {
      await kill(oneOf(cluster.runners));
    },
    async function databaseRestarted() {
      await postgres.primary.stop();
      await postgres.primary.start();
      await postgres.inStep();
    },
    async function processForSessionsKilled() {
      oneOf(cluster.runners).killRunner();
    },
    async function failedOver() {
      await postgres.failOver();
    },
    async function apiAndRunnerKilled() {
      await Promise.all([kill(oneOf(cluster.apis)), kill(oneOf(cluster.runners))]);
    },
  ];
}

/** Starts a service again like systemd, repeatedly if the start ends because the database is away. */
async function backAgain(machine: Machine): Promise<void> {
  for (;;) {
    const failure = await machine.startAgain().then(
      () => null,
      (error: Error) => error,
    );
    if (failure === null) return;
    assert.match(failure.message, /^serve ended with 1:[\s\S]*The database is not available/);
  }
}

async function atLeast(
  total: () => number,
  enough: number,
  sessions: readonly NumberedSession[],
  signal: AbortSignal,
): Promise<void> {
  while (total() < enough) {
    await sessions.find(({ isOver }) => isOver)?.stop();
    await pause(20, undefined, { signal });
  }
}

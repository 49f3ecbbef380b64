import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import type { Berth, BerthOptions } from "../acceptance/harness/berth.ts";
import {
  bash,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../acceptance/harness/fixtures.ts";
import { administerHost, hostOf } from "../acceptance/harness/hosts.ts";
import { servicesOf } from "../acceptance/harness/services-of-test.ts";
import { settingsToShare } from "../acceptance/harness/shared-database.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { isSampled, notTodays } from "../effort/effort.ts";
import { type S3Host, startS3Host } from "../s3-host/s3-host.ts";
import { killAtRequest, killWhileReading } from "./kill-at-request.ts";

const DAY_MS = 86_400_000;
/** The number of kills of which one is made each time, unless all are. */
const SAMPLE = isSampled() ? 6 : 3;
/** More requests than a save of two parts makes. */
const REQUESTS = 24;

interface Trial {
  s3: S3Host;
  /** The service with the database, which takes sessions only when the others are lost. */
  staying: Berth;
  api: Api;
  start(dataDir?: string): Promise<Berth>;
}

test("a service is killed at any request to S3 of a save, and the next one while it restores → a turn is lost at most, and nothing is orphaned", {
  timeout: 1_200_000,
}, async (t) => {
  const { s3, staying, api, start } = await trial(t);
  const sessions: AnyJson[] = [];
  let kills = 0;
  for (let at = 1, isOver = false; !isOver; at += 1) {
    if (notTodays("crash", at, SAMPLE) !== false && at < REQUESTS) continue;
    await drain(staying, true);
    const saving = await start();
    const session = await makeSession(api);
    sessions.push(session);
    assert.equal(await run(api, session, `echo ${session.id} first >/data/file; echo done`), "done");
    await waitUntil(
      () => saves(saving) === 1,
      () => `it is not saved:\n${saving.log.slice(-2_000)}`,
    );
    const dead = killAtRequest(s3, saving, at);
    const sums = await run(
      api,
      session,
      "echo second >>/data/file; head -c 12000000 /dev/urandom >/data/large; sha256sum /data/*",
    );
    let isDead = false;
    void dead.then(() => {
      isDead = true;
    });
    await waitUntil(
      () => isDead || saves(saving) === 2,
      () => `request ${at}: neither saved nor killed\n${saving.log.slice(-2_000)}`,
    );
    isOver = !isDead;
    if (!isOver) kills += 1;
    s3.fault = () => false;
    await lose(staying, saving);

    const restoring = await start();
    const cut = killWhileReading(s3, restoring, ({ key }) => key.includes("/blobs/"));
    const look = { events: [steps(bash("sha256sum /data/*"))] };
    const sent = await api.ok("POST", `/sessions/${session.id}/events`, look);
    await cut;
    s3.fault = () => false;
    // A restart on the same machine finds half a disk; another machine finds none.
    const isRestarted = at % 2 === 0;
    const next = isRestarted ? await start(restoring.dataDir) : staying;
    if (!isRestarted) {
      await drain(staying, false);
      await lose(staying, restoring);
    }
    await waitForTurn(api, session.id, sent.data[0].id);
    const files = await run(api, session, "sha256sum /data/*; head -n 1 /data/file");
    const [{ save }] = await reclaims(api, session);
    const where = `request ${at}`;
    assert.match(files, new RegExp(`\\n${session.id} first$`), where);
    if (files.includes("/data/large"))
      assert.deepEqual([save.lost_calls, files.includes(sums)], [0, true], where);
    else assert.equal(save.lost_calls, 1, where);
    assert.ok(!isOver || save.lost_calls === 0, where);
    if (isRestarted) await lose(staying, next);
  }
  assert.ok(kills > 0);
  s3.age(2 * DAY_MS);
  await staying.kill("SIGTERM");
  await start(staying.dataDir);
  const left = () => s3.keys().filter((key) => key !== "berth/store");
  await waitUntil(
    () => left().length === sessions.length,
    () => `${sessions.length} saves, and in the store ${left().join(" ")}`,
  );
  assert.ok(left().every((key) => key.startsWith("berth/blobs/")));
  // An upload whose part was just being sent may be left. The sweep aborts it a day later, which this server
  // cannot simulate.
  assert.ok(s3.uploads().length <= kills, `${s3.uploads().length} uploads`);
});

async function trial(t: TestContext): Promise<Trial> {
  const s3 = await startS3Host();
  t.after(s3.close);
  const startOne = servicesOf(t);
  const settings = {
    BERTH_BLOBS: s3.place,
    BERTH_WORKSPACE_SAVES: "idle",
    BERTH_SANDBOX_IDLE_SECONDS: "0",
    BERTH_HOST_GRACE_SECONDS: "60",
  };
  const staying = await startOne({ settings });
  const shared = { ...settingsToShare(staying), ...settings };
  const start = (dataDir?: string) => {
    const options: BerthOptions = dataDir === staying.dataDir ? { settings } : { settings: shared };
    return startOne(dataDir === undefined ? options : { ...options, dataDir });
  };
  return { s3, staying, api: await staying.client(), start };
}

/** Sets whether the service takes sessions. */
async function drain(service: Berth, isDrained: boolean): Promise<void> {
  await administerHost(service, isDrained ? "drain" : "resume", hostOf(service));
}

/** Kills a service for good, as if its machine were lost. */
async function lose(staying: Berth, service: Berth): Promise<void> {
  await service.kill("SIGKILL");
  await administerHost(staying, "forget", hostOf(service));
}

/** Counts the service's log lines about a saved workspace. */
function saves(service: Berth): number {
  return service.log.split("\n").filter((line) => line.includes('"workspace saved"')).length;
}

async function run(api: Api, session: AnyJson, command: string): Promise<string> {
  const [result = ""] = toolResults(await runTurn(api, session.id, bash(command)));
  return result.replace(/\n\[working directory .*$/s, "").trim();
}

/** Returns the reclaim events of the session, newest first. */
async function reclaims(api: Api, session: AnyJson): Promise<AnyJson[]> {
  const { data } = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
  return data.filter((event: AnyJson) => event.type === "session.container_reclaimed");
}

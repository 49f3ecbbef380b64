import assert from "node:assert/strict";
import { hostname } from "node:os";
import { after, before } from "node:test";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, runTurn, steps, toolResults, waitForTurn } from "../harness/fixtures.ts";
import { administerHost, hostOf, listHosts } from "../harness/hosts.ts";
import { settingsToShare } from "../harness/shared-database.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

/** Two services on one database. The second has the disks of these sessions, and is stopped and started. */
const SETTINGS = { BERTH_HOST_GRACE_SECONDS: "60", BERTH_SANDBOX_IDLE_SECONDS: "0" };
let first: Berth;
let second: Berth;
let api: Api;
let waiting: AnyJson;
let taken: AnyJson;
let forgotten: AnyJson;
let deleted: AnyJson;
before(async () => {
  first = await Berth.start({ settings: SETTINGS });
  api = await first.client();
  await startSecond();
  [waiting, taken, forgotten, deleted] = await sessionsOnSecond(4);
});
after(async () => {
  // It may not have started.
  await second?.stop();
  await first.stop();
});

async function startSecond(): Promise<void> {
  const dataDir = second?.dataDir;
  const settings = { ...SETTINGS, ...settingsToShare(first), BERTH_GIT_HTTP_HOSTS: "git.example.test" };
  second = await Berth.start({ settings, ...(dataDir === undefined ? {} : { dataDir }) });
}

/** Returns the second service in the list of hosts. */
async function listedSecond(): Promise<AnyJson> {
  return (await listHosts(first)).find(({ id }: AnyJson) => id === hostOf(second));
}

/**
 * Creates sessions whose disks are on the second service, each with a file that exists nowhere else. The
 * first service takes none meanwhile.
 */
async function sessionsOnSecond(count: number): Promise<AnyJson[]> {
  await administerHost(first, "drain", hostOf(first));
  const sessions: AnyJson[] = [];
  for (let n = 0; n < count; n++) sessions.push(await makeSession(api));
  const command = bash("echo kept > /data/file; echo saved > /mnt/session/outputs/saved.txt");
  await Promise.all(sessions.map((session) => runTurn(api, session.id, command)));
  await administerHost(first, "resume", hostOf(first));
  return sessions;
}

async function send(session: AnyJson): Promise<string> {
  const events = [steps(bash("cat /data/file"))];
  return (await api.ok("POST", `/sessions/${session.id}/events`, { events })).data[0].id;
}

/** Returns the reasons of the session's lost containers. */
async function reclaims(session: AnyJson): Promise<string[]> {
  const { data } = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
  const reclaimed = data.filter(({ type }: AnyJson) => type === "session.container_reclaimed");
  return reclaimed.map(({ reason }: AnyJson) => reason);
}

covers(
  ["home-waits", "home-rescheduled", "hosts-list"],
  "the service with the disk is away for a while: the session waits as rescheduling and continues on its disk",
  async () => {
    const host = await listedSecond();
    assert.deepEqual(host.other_settings, ["BERTH_GIT_HTTP_HOSTS"]);
    assert.equal(host.sessions, 4);
    assert.equal(host.draining, false);
    assert.equal(host.name, hostname());
    assert.equal(host.place, `local:${hostOf(second)}`);
    await second.logged(/another service of this database runs with other settings/);
    await second.kill("SIGTERM");
    const id = await send(waiting);
    await readEventsUntil(api, waiting.id, ({ type }) => type === "session.status_rescheduled");
    assert.equal((await api.ok("GET", `/sessions/${waiting.id}`)).status, "rescheduling");
    await startSecond();
    const turn = await waitForTurn(api, waiting.id, id);
    assert.deepEqual(toolResults(turn), ["kept"]);
    const statuses = turn.map(({ type }) => type).filter((type) => type.startsWith("session.status"));
    assert.deepEqual(statuses, [
      "session.status_rescheduled",
      "session.status_running",
      "session.status_idle",
    ]);
    assert.deepEqual(await reclaims(waiting), []);
  },
);

covers(
  ["home-takeover"],
  "the service with the disk does not come back: another takes the session over after the grace",
  async () => {
    await second.kill("SIGKILL");
    // Of the two remaining services, only this one has stopped waiting.
    const settings = { ...SETTINGS, ...settingsToShare(first), BERTH_HOST_GRACE_SECONDS: "4" };
    const third = await Berth.start({ settings });
    try {
      const turn = await waitForTurn(api, taken.id, await send(taken));
      assert.match(toolResults(turn)[0] ?? "", /No such file/);
      assert.deepEqual(await reclaims(taken), ["lost"]);
    } finally {
      await third.stop();
    }
  },
);

covers(
  ["hosts-forget"],
  "a service that is gone is forgotten: its sessions go on, and deleted ones are removed",
  async () => {
    await startSecond();
    const id = hostOf(second);
    await assert.rejects(first.command("admin", "hosts", "forget", id), /was seen \d+ seconds ago/);
    await second.kill("SIGKILL");
    await api.ok("DELETE", `/sessions/${deleted.id}`);
    assert.equal((await listedSecond()).deleted_sessions, 1);
    await administerHost(first, "forget", id);
    const turn = await waitForTurn(api, forgotten.id, await send(forgotten));
    assert.match(toolResults(turn)[0] ?? "", /No such file/);
    assert.deepEqual(await reclaims(forgotten), ["lost"]);
    assert.equal(await listedSecond(), undefined);
  },
);

covers(
  ["hosts-drain"],
  "a drained service saves outputs and gives its disks up when they are quiet; another continues",
  async () => {
    await startSecond();
    const [session] = await sessionsOnSecond(1);
    const said = await first.command("admin", "hosts", "drain", hostOf(second));
    assert.match(said, /its outputs are saved and its disk is deleted, with everything that was not pushed/);
    await readEventsUntil(api, session.id, ({ type }) => type === "session.container_reclaimed");
    const turn = await waitForTurn(api, session.id, await send(session));
    assert.match(toolResults(turn)[0] ?? "", /No such file/);
    assert.deepEqual(await reclaims(session), ["drained"]);
    const { data: files } = await api.ok("GET", `/files?scope_id=${session.id}`);
    assert.deepEqual(
      files.map(({ filename }: AnyJson) => filename),
      ["saved.txt"],
    );
    await second.kill("SIGTERM");
    await startSecond();
    await waitUntil(
      () => /this host is draining/.test(second.log),
      () => `a service that starts drained says nothing: ${second.log}`,
    );
  },
);

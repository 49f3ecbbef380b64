import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, runTurn, steps, toolResults, waitForTurn } from "../harness/fixtures.ts";
import { settingsToShare } from "../harness/shared-database.ts";
import { readEventsUntil } from "../harness/stream.ts";
import { waitUntil } from "../harness/wait-until.ts";

/** Two services on one database. The second has the disks of the sessions here, and comes and goes. */
const SETTINGS = { BERTH_HOST_GRACE_SECONDS: "60", BERTH_SANDBOX_IDLE_SECONDS: "0" };
let first: Berth;
let second: Berth;
let api: Api;
before(async () => {
  first = await Berth.start({ settings: SETTINGS });
  api = await first.client();
  await startSecond();
});
after(async () => {
  await second.stop();
  await first.stop();
});

async function startSecond(): Promise<void> {
  const dataDir = second?.dataDir;
  const settings = { ...SETTINGS, ...settingsToShare(first), BERTH_GIT_HTTP_HOSTS: "git.example.test" };
  second = await Berth.start({ settings, ...(dataDir === undefined ? {} : { dataDir }) });
}

async function hosts(): Promise<AnyJson[]> {
  return JSON.parse(await first.command("admin", "hosts", "list", "--json")).data;
}

/** The second service, as the database knows it. */
async function other(): Promise<AnyJson> {
  return (await hosts()).find(({ other_settings: names }) => names.length > 0);
}

/** A session whose disk the second service has, with a file that is nowhere else. */
async function sessionOnSecond(): Promise<AnyJson> {
  const own = (await hosts()).find(({ other_settings: names }) => names.length === 0);
  await first.command("admin", "hosts", "drain", own.id);
  const session = await makeSession(api);
  await runTurn(api, session.id, bash("echo kept > /data/file"));
  await first.command("admin", "hosts", "drain", own.id, "--cancel");
  return session;
}

async function send(session: AnyJson): Promise<string> {
  const events = [steps(bash("cat /data/file; date > /data/second"))];
  return (await api.ok("POST", `/sessions/${session.id}/events`, { events })).data[0].id;
}

async function log(session: AnyJson): Promise<AnyJson[]> {
  return (await api.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
}

const typesOf = (events: AnyJson[]) => events.map(({ type }) => type);
const reclaims = (events: AnyJson[]) =>
  events.filter(({ type }) => type === "session.container_reclaimed").map(({ reason }) => reason);

covers(
  ["home-waits", "home-rescheduled", "hosts-list"],
  "the service with the disk is away for a while: the session waits as rescheduling and continues on its disk",
  async () => {
    const session = await sessionOnSecond();
    const host = await other();
    assert.deepEqual(host.other_settings, ["BERTH_GIT_HTTP_HOSTS"]);
    assert.equal(host.sessions, 1);
    assert.equal(host.draining, false);
    assert.match(host.place, /^local:/);
    assert.match(second.log, /another service of this database runs with other settings/);
    await second.kill("SIGTERM");
    const id = await send(session);
    await readEventsUntil(api, session.id, ({ type }) => type === "session.status_rescheduled");
    assert.equal((await api.ok("GET", `/sessions/${session.id}`)).status, "rescheduling");
    await startSecond();
    const turn = await waitForTurn(api, session.id, id);
    assert.deepEqual(toolResults(turn), ["kept"]);
    const told = typesOf(turn).filter((type) => type === "session.status_rescheduled");
    assert.equal(told.length, 1);
    const next = typesOf(turn)[typesOf(turn).indexOf("session.status_rescheduled") + 1];
    assert.equal(next, "session.status_running");
    assert.deepEqual(reclaims(await log(session)), []);
  },
);

covers(
  ["hosts-drain"],
  "a drained service saves outputs and gives its disks up when they are quiet; another continues",
  async () => {
    const session = await sessionOnSecond();
    await runTurn(api, session.id, bash("echo saved > /mnt/session/outputs/late.txt"));
    const { id } = await other();
    const said = await first.command("admin", "hosts", "drain", id);
    assert.match(said, /its outputs are saved and its disk is deleted, with everything that was not pushed/);
    await readEventsUntil(api, session.id, ({ type }) => type === "session.container_reclaimed");
    await waitUntil(
      async () => (await other()).sessions === 0,
      () => "the disk was not given up",
    );
    const turn = await waitForTurn(api, session.id, await send(session));
    assert.match(toolResults(turn)[0] ?? "", /No such file/);
    assert.deepEqual(reclaims(await log(session)), ["drained"]);
    const files = await api.ok("GET", `/files?scope_id=${session.id}`);
    assert.deepEqual(
      files.data.map(({ filename }: AnyJson) => filename),
      ["late.txt"],
    );
    await first.command("admin", "hosts", "drain", id, "--cancel");
  },
);

covers(
  ["hosts-forget"],
  "a service that is gone is forgotten: its sessions go on, and deleted ones are removed",
  async () => {
    const [session, deleted] = [await sessionOnSecond(), await sessionOnSecond()];
    const { id } = await other();
    await assert.rejects(first.command("admin", "hosts", "forget", id), /was seen \d+ seconds ago/);
    await second.kill("SIGKILL");
    await api.ok("DELETE", `/sessions/${deleted.id}`);
    await waitUntil(
      async () => (await other()).deleted_sessions === 1,
      () => "the session was not deleted",
    );
    await first.command("admin", "hosts", "forget", id, "--force");
    const turn = await waitForTurn(api, session.id, await send(session));
    assert.match(toolResults(turn)[0] ?? "", /No such file/);
    assert.deepEqual(reclaims(await log(session)), ["lost"]);
    assert.equal((await hosts()).length, 1);
    await startSecond();
  },
);

covers(
  ["home-takeover"],
  "the service with the disk does not come back: another takes the session over after the grace",
  async () => {
    const session = await sessionOnSecond();
    await second.kill("SIGKILL");
    // The first one still waits.
    const third = await Berth.start({
      settings: { ...SETTINGS, ...settingsToShare(first), BERTH_HOST_GRACE_SECONDS: "4" },
    });
    try {
      const turn = await waitForTurn(api, session.id, await send(session));
      assert.match(toolResults(turn)[0] ?? "", /No such file/);
      assert.deepEqual(reclaims(await log(session)), ["lost"]);
      assert.ok(typesOf(turn).includes("session.status_rescheduled"));
    } finally {
      await third.stop();
    }
  },
);

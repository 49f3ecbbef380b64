import assert from "node:assert/strict";
import { after, before } from "node:test";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import {
  bash,
  makeFile,
  makeSession,
  makeSkill,
  runTurn,
  toolResults,
} from "../acceptance/harness/fixtures.ts";
import { servicesOf } from "../acceptance/harness/services-of-test.ts";
import { settingsToShare } from "../acceptance/harness/shared-database.ts";
import { count, LoadedSession, turns } from "../crash/load.ts";
import { Machine } from "../crash/machine.ts";
import { FormerRelease, formerRelease } from "./former-release.ts";

const TURNS = 2;

let former: FormerRelease;
before(async () => {
  former = await FormerRelease.unpack(formerRelease());
});
after(() => former?.remove());

covers(
  ["upgrade-rollback", "usage-totals"],
  "upgrade of an installation, and back: sessions keep their disks, and go on, and what they used is counted",
  async (t) => {
    const start = servicesOf(t);
    const first = await start({ binary: former.binary });
    const { dataDir } = first;
    const token = await first.token();
    const old = await workIn(new Api(first.url, token));
    await first.kill("SIGTERM");

    const upgraded = await start({ dataDir });
    const api = new Api(upgraded.url, token);
    assert.deepEqual(await goOn(api, old), ["begun"]);
    const recent = await workIn(api);
    assert.equal(await readIn(api, old), "1\tbegun\n2\tmore", "results keep the form that they began with");
    assert.equal(await readIn(api, recent), "1\tbegun");
    const stored = await storeOfEach(api);
    await upgraded.kill("SIGTERM");

    const taken = await start({ dataDir, binary: former.binary });
    const back = new Api(taken.url, token);
    assert.deepEqual(await goOn(back, old), ["begun", "more"]);
    assert.deepEqual(await goOn(back, recent), ["begun"]);
    for (const path of stored) await back.ok("GET", path);
    await taken.kill("SIGTERM");

    await checkUsage(new Api((await start({ dataDir })).url, token));
  },
);

covers(
  ["upgrade-rollback", "migrate-apart"],
  "rolling upgrade of two machines under load, and back: no event, call or disk is lost",
  async (context) => {
    // Only its PostgreSQL takes part: it is drained before there are sessions.
    const store = await Berth.start({ binary: former.binary });
    const machines: Machine[] = [];
    const sessions: LoadedSession[] = [];
    try {
      const [host] = JSON.parse(await store.command("admin", "hosts", "list", "--json")).data;
      await store.command("admin", "hosts", "drain", host.id);
      const token = await store.token();
      const settings = settingsToShare(store);
      for (let n = 0; n < 2; n++) machines.push(await Machine.start(settings, { binary: former.binary }));
      let next = 0;
      const anyMachine = () => new Api((machines[next++ % 2] as Machine).berth.url, token);
      for (let n = 0; n < 2; n++) sessions.push(await LoadedSession.start(anyMachine));
      await turns(sessions, TURNS, context.signal);

      const { pending } = JSON.parse(await store.currentCommand("migrate", "--dry-run", "--json"));
      const { applied } = JSON.parse(await store.currentCommand("migrate", "--json"));
      assert.deepEqual(applied, pending);
      await turns(sessions, TURNS, context.signal);
      for (const binary of [undefined, former.binary]) {
        for (const machine of machines) {
          await machine.end("SIGTERM");
          await machine.startAgain(binary);
          await turns(sessions, TURNS, context.signal);
        }
      }
      for (const session of sessions) {
        assert.equal(count(await session.check(), "session.container_reclaimed"), 0, "no disk is lost");
      }
    } finally {
      await Promise.all(sessions.map((session) => session.stop()));
      await Promise.all(machines.map((machine) => machine.remove()));
      await store.stop();
    }
  },
);

/** Checks the usage of both releases' turns. */
async function checkUsage(api: Api): Promise<void> {
  const { data: sessions } = await api.ok("GET", "/sessions");
  const { total } = await api.ok("GET", "/usage");
  for (const [kind, tokens] of Object.entries(total.usage)) {
    const sum = sessions.reduce((before: number, { usage }: AnyJson) => before + usage[kind], 0);
    assert.equal(tokens, sum, kind);
  }
  assert.deepEqual([total.turns, total.sessions], [7, 2]);
}

async function readIn(api: Api, session: AnyJson): Promise<string | undefined> {
  const events = await runTurn(api, session.id, { tool: "Read", input: { file_path: "/data/work" } });
  return toolResults(events)[0];
}

/** Creates a session with a file on its disk and a mounted one. */
async function workIn(api: Api): Promise<AnyJson> {
  const file = await makeFile(api, "given");
  const resources = [{ type: "file", file_id: file.id, mount_path: "/data/given" }];
  const session = await makeSession(api, { resources });
  await runTurn(api, session.id, bash("echo begun > /data/work"));
  return session;
}

/** Runs a further turn on the disk. Returns the existing lines, each of an earlier turn. */
async function goOn(api: Api, { id }: AnyJson): Promise<string[]> {
  const [said = ""] = toolResults(
    await runTurn(api, id, bash("cat /data/given /data/work; echo more >> /data/work")),
  );
  // A former release may tell that variables which it does not know did not come back.
  const [given, ...lines] = said
    .replace(/^(\[[^\]]*\]\n)?given/, "given\n")
    .split("\n")
    .filter((line) => /^\w+$/.test(line));
  assert.equal(given, "given", said);
  return lines;
}

/** Creates one resource of each kind. Returns their paths. */
async function storeOfEach(api: Api): Promise<string[]> {
  const [session, skill, store, vault] = await Promise.all([
    makeSession(api, { title: "of the newer release" }),
    makeSkill(api, "newer"),
    api.ok("POST", "/memory_stores", { name: "newer" }),
    api.ok("POST", "/vaults", { display_name: "newer" }),
  ]);
  return [
    `/sessions/${session.id}`,
    `/agents/${session.agent.id}`,
    `/environments/${session.environment_id}`,
    `/skills/${skill.id}`,
    `/memory_stores/${store.id}`,
    `/vaults/${vault.id}`,
    `/sessions/${session.id}/events`,
  ];
}

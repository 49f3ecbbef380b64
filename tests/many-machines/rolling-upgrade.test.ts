import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { covers } from "../acceptance/harness/covers.ts";
import { makeAgent, makeEnvironment } from "../acceptance/harness/fixtures.ts";
import { listAll } from "../acceptance/harness/list-all.ts";
import { NO_LIMITS } from "../acceptance/harness/no-limits.ts";
import { count, LoadedSession, turns } from "../crash/load.ts";
import { CarefulClient } from "./harness/careful-client.ts";
import { Cluster } from "./harness/cluster.ts";
import { createToken } from "./harness/create-token.ts";
import { startStores } from "./harness/stores.ts";

const SESSIONS = 4;
const CREATORS = 4;
/** Turns between upgrades of two machines. */
const TURNS = 4;
const CONTENT_BYTES = 12_000_000;
const PART_BYTES = 700_000;
/** Milliseconds between two requests of a creator of sessions. */
const PAUSE_MS = 30;

const directory = mkdtempSync(join(tmpdir(), "berth-rolling-"));
chmodSync(directory, 0o711);
let stores: Awaited<ReturnType<typeof startStores>>;
let cluster: Cluster;
before(async () => {
  stores = await startStores(directory);
  cluster = await Cluster.start({ directory, settings: { ...NO_LIMITS, ...stores.stores } });
});
after(async () => {
  await cluster?.stop();
  await stores?.stop();
  rmSync(directory, { recursive: true, force: true });
});

covers(
  ["rolling-upgrade"],
  "six machines are replaced one by one under load: no request fails that may not be sent again, and nothing is lost or doubled",
  async (context) => {
    let isOver = false;
    const client = new CarefulClient(cluster.url, await createToken(directory), () => isOver);
    const sessions: LoadedSession[] = [];
    try {
      for (let n = 0; n < SESSIONS; n++) sessions.push(await LoadedSession.start(() => client));
      const [agent, environment] = await Promise.all([makeAgent(client), makeEnvironment(client)]);
      const titles: string[] = [];
      const create = async (creator: number) => {
        for (let number = 0; !isOver; number++) {
          const title = `${creator} ${number}`;
          await client.ok("POST", "/sessions", { agent: agent.id, environment_id: environment.id, title });
          titles.push(title);
          await pause(PAUSE_MS);
        }
      };
      const content = randomBytes(CONTENT_BYTES);
      const sha256 = createHash("sha256").update(content).digest("hex");
      let uploads = 0;
      const upload = async () => {
        for (; !isOver; uploads++) assert.equal((await client.upload(content, PART_BYTES)).sha256, sha256);
      };
      const load = [...Array.from({ length: CREATORS }, (_, n) => create(n)), upload()];
      const settled = Promise.allSettled(load);

      for (const machine of cluster.machines) {
        await turns(sessions, TURNS, context.signal);
        await machine.end("SIGTERM");
        await machine.startAgain();
      }
      await turns(sessions, TURNS, context.signal);
      isOver = true;
      await settled;

      assert.deepEqual(client.failures, []);
      await Promise.all(load);
      for (const session of sessions)
        assert.equal(count(await session.check(), "session.container_reclaimed"), 0, "no disk is lost");
      assert.deepEqual((await createdTitles(client, agent.id)).toSorted(), titles.toSorted());
      context.diagnostic(
        `${titles.length} sessions, ${uploads} uploads; ${client.retried} requests were sent again`,
      );
    } finally {
      isOver = true;
      await Promise.all(sessions.map((session) => session.stop()));
    }
  },
);

async function createdTitles(client: CarefulClient, agent: string): Promise<string[]> {
  return (await listAll(client, `/sessions?agent_id=${agent}&limit=100`)).map(({ title }) => title);
}

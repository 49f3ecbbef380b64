import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before } from "node:test";
import { type AnyJson, Api } from "../harness/api.ts";
import { Berth } from "../harness/berth.ts";
import { covers } from "../harness/covers.ts";
import { bash, makeSession, steps } from "../harness/fixtures.ts";
import { readFrames } from "../harness/stream.ts";

/** Two services on one database, as two machines behind one address would be. */
let first: Berth;
let second: Berth;
let here: Api;
let there: Api;
before(async () => {
  first = await Berth.start();
  second = await Berth.start({ settings: { BERTH_DATABASE_URL: databaseOf(first) } });
  here = await first.client();
  there = new Api(second.url, here.token);
});
after(async () => {
  await second.stop();
  await first.stop();
});

covers(
  ["event-stream", "event-resume"],
  "a reader on one service follows what is written through the other",
  async () => {
    const session = await makeSession(here);
    const followed: AnyJson[] = [];
    const following = follow(session.id, followed, 5);
    for (let turn = 0; turn < 5; turn++) {
      const api = turn % 2 === 0 ? here : there;
      await api.ok("POST", `/sessions/${session.id}/events`, { events: [steps(bash(`echo turn ${turn}`))] });
    }
    await following;
    const log = (await there.ok("GET", `/sessions/${session.id}/events?limit=100`)).data;
    assert.deepEqual(
      followed.map(({ id }) => id),
      log.map(({ id }: AnyJson) => id).slice(0, followed.length),
    );
    assert.deepEqual((await here.ok("GET", `/sessions/${session.id}/events?limit=100`)).data, log);
  },
);

/** Follows on the other service, cut after every fourth event, until every message has been taken in. */
async function follow(session: string, followed: AnyJson[], messages: number): Promise<void> {
  let taken = 0;
  for (;;) {
    const last = followed.at(-1)?.id;
    const from = last === undefined ? { query: "from=start" } : { lastEventId: last };
    let count = 0;
    for await (const { data } of readFrames(there, session, from)) {
      followed.push(data);
      if (data.type === "user.message") taken += 1;
      if (data.type === "session.status_idle" && taken === messages) return;
      if (++count === 4) break;
    }
  }
}

/** The address of a service's embedded database: its socket, as PostgreSQL notes it down. */
function databaseOf(berth: Berth): string {
  const [, , , port, socket] = readFileSync(`${berth.dataDir}/postgres/cluster/postmaster.pid`, "utf8").split(
    "\n",
  );
  return `postgres://berth@localhost:${port}/berth?host=${encodeURIComponent(socket ?? "")}`;
}

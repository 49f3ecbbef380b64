import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { CAN_INJECT } from "./inject-kill.ts";
import { killAtEveryWrite } from "./kill-at-every-write.ts";
import { killRunner, waitForPid } from "./processes.ts";

/** Tests kills of the runner while a client waits for a read of a session's disk: the next runner answers. */
let berth: Berth;
let api: Api;
let session: string;
before(async () => {
  berth = await Berth.start();
  api = await berth.client();
  session = (await makeSession(api)).id;
  await runTurn(api, session, bash("mkdir /data/dir && echo kept >/data/dir/file"));
});
after(() => berth.stop());

const OPTIONS = { timeout: 600_000, skip: !CAN_INJECT };

const list = () => api.ok("GET", `/sessions/${session}/workspace?path=/data/dir`);
const content = () => api.get(`/sessions/${session}/workspace/content?path=/data/dir/file`);

test("runner killed at any write of a read: the next one answers, and no turn begins", OPTIONS, (context) =>
  killAtEveryWrite(context, {
    service: () => berth,
    sampledPoints: 6,
    async run(_name, attach) {
      await attach();
      return [await list(), await content()];
    },
    check,
  }),
);

test("runner killed while it is frozen and a read waits: the next one answers", {
  timeout: 600_000,
}, async () => {
  const runner = await waitForPid(berth, "runner");
  process.kill(runner, "SIGSTOP");
  const asked = Promise.all([list(), content()]);
  // A frozen runner answers nothing, however long that takes.
  await api.ok("GET", `/sessions/${session}`);
  await killRunner(berth);
  await check(await asked, "frozen");
});

async function check([listed, read]: AnyJson[], name: string): Promise<void> {
  assert.deepEqual(
    listed.data.map(({ name: one }: AnyJson) => one),
    ["file"],
    name,
  );
  assert.deepEqual([read.status, read.body], [200, "kept\n"], name);
  assert.equal((await api.ok("GET", `/sessions/${session}`)).status, "idle", name);
  const { data } = await api.ok("GET", `/sessions/${session}/events?limit=100`);
  const turns = data.filter(({ type }: AnyJson) => type === "session.status_running");
  assert.equal(turns.length, 1, name);
}

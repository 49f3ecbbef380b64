// Tests the output that commands in pods had printed when the runner, the runner's machine, or their pod was
// lost.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Api } from "../acceptance/harness/api.ts";
import type { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { begin, INTERRUPTED, resultsOf, TICKS, ticking, ticksIn } from "../crash/printed-lines.ts";
import { descendantsOf, killRunner, signalIfAlive } from "../crash/processes.ts";
import { missingForCluster } from "./harness/find-kit.ts";
import { PodService, printLogOfFailures } from "./harness/pod-service.ts";
import { startTestCluster } from "./harness/test-cluster.ts";

const SKIP = missingForCluster() ?? false;

let namespace: string;
let service: PodService;
let runner: Berth;
let api: Api;
/** Functions that run in reverse order, also after a failed start. */
const CLEANUP: (() => unknown)[] = [];

printLogOfFailures(() => service);
before(async () => {
  if (SKIP !== false) return;
  const cluster = await startTestCluster();
  CLEANUP.push(() => cluster.close());
  namespace = cluster.namespace;
  service = await PodService.prepare(cluster);
  CLEANUP.push(() => service.close());
  api = await service.startApi();
  runner = await service.start("runner");
});
after(async () => {
  for (const cleanUp of CLEANUP.reverse()) await cleanUp();
});

/** Kills all of the runner's processes at once, like a power failure. */
async function loseMachine(): Promise<void> {
  const processes = descendantsOf(runner.pid);
  await runner.kill("SIGKILL");
  for (const pid of processes) signalIfAlive(pid, "SIGKILL");
  runner = await service.start("runner");
}

for (const [what, lose] of [
  ["the process that runs sessions is killed", () => killRunner(runner)],
  ["the runner's machine is lost, and another runner goes on", loseMachine],
] as const)
  covers(
    ["kubernetes-printed-output"],
    `${what}: the result has what the command had printed until some seconds before, and the next one runs on the disk`,
    async () => {
      const { id } = await makeSession(api);
      const first = ticking("tick", "echo kept >/data/kept; seq 1 20000;");
      const reader = await begin(api, id, first, bash("cat /data/kept"), { say: "went on" });
      await reader.until(() => reader.text().includes(`tick ${TICKS}\n`));
      await lose();
      const [text = "", next] = await resultsOf(reader);
      reader.close();
      assert.match(text, INTERRUPTED);
      assert.match(text, /^1\n2\n[\s\S]*\[\d+ bytes left out of the middle\][\s\S]*20000\ntick 1\n/);
      ticksIn(text, "tick");
      assert.equal(next, "kept");
    },
    SKIP,
  );

covers(
  ["kubernetes-printed-output"],
  "the pod is deleted while commands run side by side: each result has all that was shown, and the session goes on in another pod",
  async () => {
    const { id } = await makeSession(api);
    const names = ["left", "right"];
    const reader = await begin(api, id, { tools: names.map((name) => ticking(name)) }, { say: "went on" });
    const shown = (name: string) => reader.text(reader.call(`echo ${name} $i`));
    await reader.until(() => names.every((name) => shown(name).includes(`${name} 3\n`)));
    const [pod] = await service.pods(id);
    const name = pod?.metadata?.name ?? "";
    await service.core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 0 });
    const results = await resultsOf(reader);
    for (const [at, one] of names.entries()) {
      const text = results[at] ?? "";
      assert.match(text, /\n\[The sandbox stopped while this ran/);
      assert.ok(text.startsWith(shown(one)), `${text} | ${shown(one)}`);
      assert.ok(ticksIn(text, one) >= 3);
    }
    assert.deepEqual(toolResults(await runTurn(api, id, bash("echo again"))), ["again"]);
    reader.close();
  },
  SKIP,
);

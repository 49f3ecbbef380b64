import assert from "node:assert/strict";
import { test } from "node:test";
import { Berth } from "../acceptance/harness/berth.ts";
import {
  bash,
  makeSession,
  runTurn,
  steps,
  toolResults,
  waitForTurn,
} from "../acceptance/harness/fixtures.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { commandOf, descendantsOf, killRunner } from "./processes.ts";

test("runner killed between turns and before the next result: shell and /tmp come back, and what was lost is told once", async () => {
  const berth = await Berth.start();
  try {
    const api = await berth.client();
    const { id } = await makeSession(api);
    const run = async (...commands: string[]) =>
      toolResults(await runTurn(api, id, ...commands.map(bash))).join("\n");
    await run(
      "cd /tmp; echo kept >t; export X=1; f() { echo f$X; }; set -o pipefail; p=2",
      "sleep 97533 >/dev/null &",
      "true",
    );
    await killRunner(berth);
    const begun = await api.ok("POST", `/sessions/${id}/events`, { events: [steps(bash("sleep 97534"))] });
    await waitUntil(
      () => descendantsOf(berth.pid).some((pid) => commandOf(pid).startsWith("sleep 97534")),
      () => "the command did not begin",
    );
    await killRunner(berth);
    // Its result may have the notes, as what the command had printed, or not: they count as told by a whole result alone.
    await waitForTurn(api, id, begun.data[0].id);
    const back = await run("pwd; cat t; f; set -o | grep pipefail");
    assert.match(back, /\/tmp\nkept\nf1\npipefail\s+on/);
    assert.match(back, /Processes that were running have ended: .*`sleep 97533[^`]*`/);
    assert.match(back, /Variables that were not exported: p\./);
    await killRunner(berth);
    const again = await run("f");
    assert.match(again, /f1/);
    assert.doesNotMatch(again, /9753[34]|not exported/);
  } finally {
    await berth.stop();
  }
});

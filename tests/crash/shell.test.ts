import assert from "node:assert/strict";
import { test } from "node:test";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { killRunner } from "./processes.ts";

test("runner killed between two turns: the shell and /tmp come back, and its processes are named once", async () => {
  const berth = await Berth.start();
  try {
    const api = await berth.client();
    const { id } = await makeSession(api);
    const run = async (...commands: string[]) =>
      toolResults(await runTurn(api, id, ...commands.map(bash))).join("\n");
    await run(
      "cd /tmp; echo kept >t; export X=1; f() { echo f$X; }; set -o pipefail",
      "sleep 97533 >/dev/null &",
      "true",
    );
    await killRunner(berth);
    const back = await run("pwd; cat t; f; set -o | grep pipefail");
    assert.match(back, /\/tmp\nkept\nf1\npipefail\s+on/);
    assert.match(back, /Processes that were running have ended: `sleep 97533`\./);
    await killRunner(berth);
    const again = await run("f");
    assert.match(again, /f1/);
    assert.doesNotMatch(again, /97533/);
  } finally {
    await berth.stop();
  }
});

import assert from "node:assert/strict";
import type { Sandbox } from "../../src/interface/sandbox.ts";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

/** Prints the pid of the shell that waits for a command, once there is one. */
const WAITING =
  'until pid=$(ps -eo pid,ppid,args | awk \'$2 == 1 && $3 == "sh" && NF == 3 { print $1 }\'); [ -n "$pid" ]; do sleep 0.02; done; echo "$pid"';

/** Runs it in a named shell, so that it does not use the waiting one. */
const waiting = (sandbox: Sandbox) => ok(sandbox, WAITING, { shell: "main" });

/** Tests of the fresh shell that is started in advance. */
export function spareShellTests(suite: Suite): void {
  conformanceTest(suite, "a shell is started ahead and runs the next command, once", async ({ open }) => {
    const sandbox = await open();
    await ok(sandbox, ":");
    const first = await waiting(sandbox);
    const variables = { environment: { WORD: "one" }, cwd: "/tmp", stdin: Buffer.from("given") };
    assert.equal(await ok(sandbox, "echo $$ $WORD $PWD $(cat)", variables), `${first} one /tmp given`);
    const second = await waiting(sandbox);
    assert.notEqual(second, first);
    assert.equal(await ok(sandbox, "echo $$ [$WORD] $PWD $(cat)"), `${second} [] /data`);
  });

  conformanceTest(
    suite,
    "a shell that was started ahead is a child of nobody's command",
    async ({ open }) => {
      const sandbox = await open();
      await ok(sandbox, "sleep 6666 &");
      await waiting(sandbox);
      const killed = await sh(sandbox, "echo said; sleep 7777", { timeoutMs: 2_000 });
      assert.deepEqual([killed.ended, killed.text], ["timeout", "said\n"]);
      assert.equal(await ok(sandbox, "ps -eo args | grep '^sleep [67]'"), "sleep 6666");
    },
  );

  conformanceTest(suite, "a shell that was started ahead may be dead when it is needed", async ({ open }) => {
    const sandbox = await open();
    await ok(sandbox, ":");
    for (const signal of ["KILL", "TERM"]) {
      await ok(sandbox, `kill -s ${signal} ${await waiting(sandbox)}`, { shell: "main" });
      assert.equal(await ok(sandbox, "cat", { stdin: Buffer.from(signal) }), signal);
    }
  });

  conformanceTest(suite, "a shell that was started ahead may die at any moment", async ({ open }) => {
    const sandbox = await open();
    await ok(sandbox, ": >/data/all");
    for (let round = 0; round < 10; round++) {
      const kill = `kill -s KILL ${await waiting(sandbox)} 2>/dev/null; :`;
      const killing = ok(sandbox, kill, { shell: "main" });
      const result = await sh(sandbox, `echo ${round} >>/data/all; echo done`);
      await killing;
      // The shell was killed with the command, or before it.
      if (result.exitCode === 0) assert.equal(result.text, "done\n");
      else assert.equal(result.exitCode, 137);
    }
    const all = (await ok(sandbox, "cat /data/all")).split("\n");
    assert.deepEqual(all, [...new Set(all)]);
  });
}

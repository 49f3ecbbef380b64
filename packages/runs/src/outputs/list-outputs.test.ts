import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Command, Sandbox } from "@berth/sandbox";
import { testSandbox } from "../../test-support/sandbox.ts";
import { listOutputs } from "./list-outputs.ts";

const signal = new AbortController().signal;

interface Listed {
  sandbox: Sandbox;
  sh(script: string): Promise<void>;
  /** Returns sorted paths; `+`: more files, `?`: an unreadable directory. Returns null after a failure. */
  list(max?: number): Promise<string[] | null>;
}

async function outputsOf(
  t: TestContext,
  change: (command: Command) => Command = (same) => same,
): Promise<Listed> {
  const sandbox = await testSandbox(t, { id: "outputs" });
  const run: Sandbox["run"] = (command) => sandbox.run(change(command));
  return {
    sandbox,
    async sh(script) {
      const command = { script, cwd: "/mnt/session/outputs", timeoutMs: 15_000 };
      const { exitCode, output } = await sandbox.run(command);
      assert.equal(exitCode, 0, Buffer.from(output).toString());
    },
    async list(max = 10) {
      const listing = await listOutputs({ ...sandbox, run }, max, signal);
      if (listing === null) return null;
      const paths = listing.outputs.map(({ path }) => path.toString("latin1")).sort();
      return [...paths, ...(listing.more ? ["+"] : []), ...(listing.unreadable ? ["?"] : [])];
    },
  };
}

test("listOutputs: any name → listed up to the limit; an unreadable directory → said so", async (t) => {
  const { sh, list } = await outputsOf(t);
  assert.deepEqual(await list(), []);
  await sh("printf x > '\n\n'");
  assert.deepEqual(await list(), ["\n\n"]);
  await sh("mkdir -p a/b; printf x > a/b/-; ln -s /etc/passwd link; mkfifo pipe");
  assert.deepEqual(
    [await list(), await list(2), await list(1)],
    [
      ["\n\n", "a/b/-"],
      ["\n\n", "a/b/-"],
      ["\n\n", "+"],
    ],
  );
  await sh("chmod 0 a");
  assert.deepEqual(
    [await list(), await list(1)],
    [
      ["\n\n", "?"],
      ["\n\n", "?"],
    ],
  );
  await sh("rm '\n\n'");
  assert.deepEqual(await list(), ["?"]);
  await sh("chmod 300 .");
  assert.deepEqual(await list(), ["?"]);
});

test("listOutputs: find is killed → the listing fails, instead of being empty", async (t) => {
  const programs = "/tmp/programs";
  const { sh, list } = await outputsOf(t, (command) => ({
    ...command,
    environment: { ...command.environment, PATH: `${programs}:/usr/bin:/bin` },
  }));
  await sh(`printf x > kept; mkdir ${programs}`);
  const dies = `[ -e ${programs}/times ] && read n < ${programs}/times; echo $((n - 1)) > ${programs}/times; [ "$n" -le 0 ] || kill -9 $$`;
  await sh(
    `printf '%s\\n' '#!/bin/sh' '${dies}' 'exec /usr/bin/find "$@"' > ${programs}/find; chmod +x ${programs}/find`,
  );
  for (const [times, listed] of [
    [0, ["kept"]],
    [1, ["kept"]],
    [2, null],
  ] as const) {
    await sh(`echo ${times} > ${programs}/times`);
    assert.deepEqual(await list(), listed, `killed ${times} times`);
  }
});

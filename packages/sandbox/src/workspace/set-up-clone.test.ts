import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, CommandResult } from "../interface/command.ts";
import { emptyClone, setUpClone } from "./set-up-clone.ts";

const repository = { url: "https://git.example/acme/app", mountPath: "/data/app" };
const exited = (fields: Partial<CommandResult>): CommandResult => ({
  exitCode: 0,
  ended: "exit",
  output: new TextEncoder().encode("first\nlast\n"),
  omittedBytes: 0,
  outputFile: null,
  cwd: null,
  ...fields,
});

async function setUp(result: CommandResult) {
  const commands: Command[] = [];
  const sandbox = {
    run: async (command: Command) => {
      commands.push(command);
      return result;
    },
  };
  const setup = { script: "make\n", environment: { LEVEL: "high" } };
  return { outcome: await setUpClone(sandbox, repository, setup), command: commands[0] };
}

test("setUpClone: the script is on standard input, and only the given variables and those of the clone are set", async () => {
  const { outcome, command } = await setUp(exited({}));
  assert.equal(outcome, null);
  assert.equal(new TextDecoder().decode(command?.stdin), "make\n");
  assert.deepEqual(command?.environment, {
    LEVEL: "high",
    BERTH_REPOSITORY: repository.url,
    BERTH_SETUP_TARGET: repository.mountPath,
  });
});

test("setUpClone: why a script failed, with the end of its output", async () => {
  const reasons: [Partial<CommandResult>, string][] = [
    [{ exitCode: 3 }, "it ended with exit code 3"],
    [{ exitCode: 1, limit: "disk" }, "it filled the disk"],
    [{ exitCode: 137, limit: "memory" }, "it needed more memory than its sandbox has"],
    [{ exitCode: null, ended: "timeout" }, "it took longer than 15 minutes"],
  ];
  for (const [fields, why] of reasons) {
    const timedOut = fields.ended === "timeout" && { timedOut: true };
    assert.deepEqual((await setUp(exited(fields))).outcome, { why, output: "first\nlast", ...timedOut });
  }
});

test("setUpClone: the sandbox ended → it was stopped, and has not failed", async () => {
  for (const ended of ["aborted", "closed"] as const)
    assert.equal((await setUp(exited({ exitCode: null, ended }))).outcome, "stopped");
});

test("emptyClone: says whether nothing is left", async () => {
  const emptied = (result: CommandResult) => emptyClone({ run: async () => result }, repository);
  assert.equal(await emptied(exited({})), true);
  assert.equal(await emptied(exited({ exitCode: 1 })), false);
  assert.equal(await emptied(exited({ exitCode: null, ended: "closed" })), "stopped");
});

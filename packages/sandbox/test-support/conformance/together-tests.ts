import assert from "node:assert/strict";
import type { Command, CommandResult } from "../../src/interface/command.ts";
import type { Sandbox } from "../../src/interface/sandbox.ts";
import { conformanceTest, ok, type Suite } from "./context.ts";

type Single = Omit<Command, "shell" | "aside">;

/** Commands that each print or do something different. */
const COMMANDS: readonly Single[] = [
  ["echo one; echo two >&2; exit 3"],
  ["printf 'no newline'"],
  ["cat", { stdin: Buffer.from("given\0bytes") }],
  ['echo "$WORD" "$PWD"', { environment: { WORD: 'it\'s "$HOME"' }, cwd: "/tmp" }],
  ['echo "[$WORD]" "$PWD"'],
  ["echo before\necho 'unterminated"],
  ["exec false"],
  ["sh -c 'kill -KILL $$'"],
  ["sh -c 'kill -TERM $$'"],
  ["seq 1 200000", { maxOutputBytes: 1_000 }],
  ["seq 1 200000", { maxOutputBytes: 1_000, keepOutput: true }],
  ["cd /nowhere"],
  ["true", { cwd: "/nowhere" }],
  ["echo said; sleep 600", { timeoutMs: 1_500 }],
  ["head -c 3000000 /dev/zero | tr '\\0' x", { maxOutputBytes: 4_000_000 }],
  [""],
].map(([script, more]) => ({ script, timeoutMs: 60_000, ...(more as object) }) as Single);

/**
 * Returns a result without what varies between runs: the name of the output file, and the line number in the
 * shell's message.
 */
function told(result: CommandResult) {
  const { output, outputFile, ...rest } = result;
  return {
    ...rest,
    output: Buffer.from(output)
      .toString("latin1")
      .replace(/: \d+: cd/, ": cd"),
    isKept: outputFile !== null,
  };
}

function together(sandbox: Sandbox, commands: readonly Single[]): Promise<CommandResult>[] {
  const { runTogether } = sandbox;
  assert.ok(runTogether);
  return runTogether.call(sandbox, commands);
}

/** Tests of several commands in one round trip. */
export function togetherTests(suite: Suite): void {
  conformanceTest(suite, "together: each result is that of the command alone", async ({ open }) => {
    const sandbox = await open();
    const alone: CommandResult[] = [];
    for (const command of COMMANDS) alone.push(await sandbox.run(command));
    const results = await Promise.all(together(sandbox, COMMANDS));
    for (const [index, { script }] of COMMANDS.entries()) {
      const [one, other] = [alone[index], results[index]];
      assert.ok(one && other);
      assert.deepEqual(told(other), told(one), script);
    }
    assert.equal(await ok(sandbox, "ps -eo args | grep '^sleep 600' || true"), "");
  });

  conformanceTest(
    suite,
    "together: one that waits, is cut off or cannot begin delays no other",
    async ({ open }) => {
      const sandbox = await open();
      await ok(sandbox, "mkfifo /tmp/go");
      const abort = new AbortController();
      const [waits, endless, bad, quick, never] = together(sandbox, [
        { script: "cat /tmp/go", timeoutMs: 60_000 },
        { script: "while :; do :; done", timeoutMs: 60_000, signal: abort.signal },
        { script: "echo never", timeoutMs: 60_000, environment: { "not a name": "" } },
        { script: "echo quick", timeoutMs: 60_000 },
        { script: "echo never", timeoutMs: 60_000, signal: AbortSignal.abort() },
      ]);
      await assert.rejects(async () => await bad, /not a variable name/);
      assert.equal(Buffer.from((await quick)?.output ?? []).toString(), "quick\n");
      assert.equal((await never)?.ended, "aborted");
      abort.abort();
      assert.equal((await endless)?.ended, "aborted");
      await ok(sandbox, "echo gone >/tmp/go");
      assert.equal(Buffer.from((await waits)?.output ?? []).toString(), "gone\n");
    },
  );

  conformanceTest(
    suite,
    "together: one kills the shell that starts them: the others run",
    async ({ open }) => {
      const sandbox = await open();
      const commands = ["kill -KILL $$; exit 7", ...Array.from({ length: 6 }, (_, index) => `echo ${index}`)];
      for (let round = 0; round < 3; round++) {
        const given = commands.map((script) => ({ script, timeoutMs: 60_000 }));
        const [, ...others] = await Promise.all(together(sandbox, given));
        assert.deepEqual(
          others.map((result) => told(result).output),
          commands.slice(1).map((_, index) => `${index}\n`),
        );
      }
    },
  );

  conformanceTest(
    suite,
    "together: the sandbox closes, or is at its limit of processes: each is told",
    async ({ open }) => {
      const sandbox = await open();
      const up = Promise.withResolvers<void>();
      const script = "echo up; sleep 600";
      const running = together(sandbox, [
        { script, timeoutMs: 60_000, onOutput: () => up.resolve() },
        { script, timeoutMs: 60_000 },
      ]);
      await up.promise;
      await sandbox.close();
      const late = together(sandbox, [
        { script, timeoutMs: 60_000 },
        { script, timeoutMs: 60_000 },
      ]);
      for (const result of await Promise.all([...running, ...late])) assert.equal(result.ended, "closed");
      const limits = { memoryBytes: 512 * 1024 * 1024, pids: 20, cpus: 2, diskBytes: null };
      const small = await open({ limits });
      const many = Array.from({ length: 30 }, () => ({
        script: "sleep 0.2; echo $((1 + 1))",
        timeoutMs: 20_000,
      }));
      for (const result of await Promise.all(together(small, many)))
        assert.ok(result.exitCode !== 0 || Buffer.from(result.output).toString() === "2\n");
      assert.equal(await ok(small, "echo alive"), "alive");
    },
  );
}

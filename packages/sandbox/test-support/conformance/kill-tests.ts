import assert from "node:assert/strict";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

const STUBBORN: Readonly<Record<string, string>> = {
  "a busy loop": "while :; do :; done",
  "one that ignores signals": "trap '' TERM INT HUP; while :; do sleep 1; done",
  "children in sessions of their own": "setsid sleep 7777 & setsid sh -c 'setsid sleep 7777 & wait' & wait",
  "a daemon without variables": "(env -i setsid sh -c 'sleep 7777 & sleep 7777' &) ; sleep 7777",
  "a daemon's daemon": "(setsid env -i sh -c '(setsid env -i sleep 7777 &)' &) ; sleep 7777",
  "one that changes by what it is known": "(ulimit -w 7 || ulimit -x 7) 2>/dev/null; sleep 7777 & wait",
  "one whose parent is gone": "( ( exec >/dev/null 2>&1; sleep 7777 ) & ) ; sleep 7777",
  "a stopped one": "sh -c 'kill -STOP $$; sleep 7777'",
};

/**
 * Prints the number of processes once it is small, or after ten seconds, because processes take time to end.
 */
const FEW =
  "for i in $(seq 100); do n=$(ps -e --no-headers | wc -l); [ $n -lt 12 ] && break; sleep 0.1; done; echo $n";

/** Tests of killing one command, and of limits. */
export function killTests(suite: Suite): void {
  for (const [name, script] of Object.entries(STUBBORN)) {
    conformanceTest(suite, `a timeout kills ${name}, and leaves other commands alone`, async ({ open }) => {
      const sandbox = await open();
      await ok(sandbox, "sleep 8888 &");
      const up = Promise.withResolvers<void>();
      const other = sh(sandbox, "echo up; mkfifo /tmp/go; cat /tmp/go", { onOutput: () => up.resolve() });
      await up.promise;
      const from = performance.now();
      const killed = await sh(sandbox, `echo said; ${script}`, { timeoutMs: 2_000 });
      assert.deepEqual([killed.ended, killed.exitCode, killed.text], ["timeout", null, "said\n"]);
      assert.ok(performance.now() - from < 30_000);
      assert.equal(await ok(sandbox, "ps -eo args | grep -c '^sleep 7777' || true"), "0");
      assert.equal(await ok(sandbox, "ps -eo args | grep -c '^sleep 8888'"), "1");
      await ok(sandbox, "echo >/tmp/go");
      assert.equal((await other).ended, "exit");
    });
  }

  for (const shell of [{}, { shell: "main" }]) {
    const kind = "shell" in shell ? "a named shell" : "fresh shells";
    conformanceTest(
      suite,
      `daemons in ${kind} end with their command, if that is killed`,
      async ({ open }) => {
        const sandbox = await open();
        const daemon = (name: string) =>
          `(setsid env -i sh -c 'sleep ${name} & wait' &); until ps -eo args | grep -q '^sleep ${name}'; do sleep 0.02; done`;
        await ok(sandbox, daemon("1111"), shell);
        const up = Promise.withResolvers<void>();
        const script = `${daemon("2222")}; mkfifo /tmp/go; echo up; cat /tmp/go`;
        const beside = sh(sandbox, script, { onOutput: () => up.resolve() });
        await up.promise;
        await ok(sandbox, daemon("3333"), shell);
        const killed = await sh(sandbox, `${daemon("4444")}; sleep 4444`, { ...shell, timeoutMs: 1_000 });
        assert.equal(killed.ended, "timeout");
        await ok(sandbox, daemon("5555"), shell);
        await ok(sandbox, "echo >/tmp/go");
        assert.equal((await beside).ended, "exit");
        const alive = "ps -eo args | sed -n 's/^sleep \\(.\\).*/\\1/p' | sort | tr -d '\\n'";
        assert.equal(await ok(sandbox, alive), "1235");
      },
    );
  }

  conformanceTest(suite, "kill: an abort stops a command at once", async ({ open }) => {
    const sandbox = await open();
    const abort = new AbortController();
    const running = sh(sandbox, "echo up; sleep 600", {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    assert.deepEqual([(await running).ended, (await running).text], ["aborted", "up\n"]);
    const early = await sh(sandbox, "echo never >/data/never", { signal: AbortSignal.abort() });
    assert.equal(early.ended, "aborted");
    assert.equal((await sh(sandbox, "ps -eo args | grep '^sleep 600'")).exitCode, 1);
  });

  conformanceTest(suite, "shell: an abort ends the wait for a busy shell", async ({ open }) => {
    const sandbox = await open();
    const [first, second] = [new AbortController(), new AbortController()];
    const up = Promise.withResolvers<void>();
    const running = sh(sandbox, "echo up; sleep 600", {
      shell: "main",
      signal: first.signal,
      onOutput: () => up.resolve(),
    });
    await up.promise;
    const waiting = sh(sandbox, "echo second", { shell: "main", signal: second.signal });
    second.abort();
    assert.equal((await waiting).ended, "aborted");
    const third = ok(sandbox, "echo third", { shell: "main" });
    first.abort();
    assert.equal((await running).ended, "aborted");
    assert.equal(await third, "third");
  });

  const BOMB = "b() { b | b & }; b";
  const BOMBED: readonly (readonly [name: string, script: string])[] = [
    ["dies with its command", `sleep 600 & ${BOMB}; wait`],
    [
      "whose command ends first leaves room for the next",
      `${BOMB}; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done`,
    ],
  ];
  for (const [name, script] of BOMBED) {
    conformanceTest(suite, `kill: a fork bomb meets the limit and ${name}`, async ({ open }) => {
      const sandbox = await open({
        limits: { memoryBytes: 512 * 1024 * 1024, pids: 64, cpus: 2, diskBytes: null },
      });
      const bomb = await sh(sandbox, script, { timeoutMs: 2000, maxOutputBytes: 1000 });
      assert.notEqual(bomb.ended, "closed");
      assert.equal(await ok(sandbox, "echo alive"), "alive");
      assert.ok(Number(await ok(sandbox, FEW)) < 12);
    });
  }

  conformanceTest(suite, "kill: at the limit of processes the sandbox lives on", async ({ open }) => {
    const limits = { memoryBytes: 512 * 1024 * 1024, pids: 20, cpus: 2, diskBytes: null };
    const sandbox = await open({ limits });
    const abort = new AbortController();
    const full = Promise.withResolvers<void>();
    const script = "exec 2>/dev/null; b() { sleep 600 & b; }; (b); echo full; while :; do :; done";
    const filling = sh(sandbox, script, { signal: abort.signal, onOutput: () => full.resolve() });
    await full.promise;
    const refused = await sh(sandbox, "sleep 0");
    assert.equal(refused.ended, "exit");
    assert.notEqual(refused.exitCode, 0);
    abort.abort();
    assert.equal((await filling).ended, "aborted");
    assert.equal(await ok(sandbox, "echo alive"), "alive");
  });

  conformanceTest(
    suite,
    "a command that takes too much memory is killed, its sandbox is not",
    async ({ open }) => {
      const sandbox = await open({
        limits: { memoryBytes: 128 * 1024 * 1024, pids: 256, cpus: 2, diskBytes: null },
      });
      const hog = await sh(sandbox, "head -c 400000000 /dev/zero | tail", { maxOutputBytes: 1000 });
      assert.equal(hog.ended, "exit");
      assert.notEqual(hog.exitCode, 0);
      assert.equal(await ok(sandbox, "echo alive"), "alive");
    },
  );

  conformanceTest(suite, "kill: short-lived orphans leave no zombies", async ({ open }) => {
    const sandbox = await open();
    await ok(sandbox, "i=0; while [ $i -lt 150 ]; do (true &); i=$((i+1)); done");
    assert.ok(Number(await ok(sandbox, FEW)) < 12);
  });

  conformanceTest(
    suite,
    "terminate: what commands left ends by SIGTERM, also what is stopped; shells go on",
    async ({ open }) => {
      const sandbox = await open();
      await ok(sandbox, ":");
      assert.equal(await sandbox.processes(), 0);
      await sandbox.terminate({ ms: 60_000 });
      await ok(sandbox, "cd /tmp; own=1", { shell: "main" });
      const leave = (name: string) =>
        `sh -c 'trap "echo ${name} >>/data/ended; exit" TERM; : >/tmp/${name}; while :; do sleep 0.02; done' >/dev/null 2>&1 & until [ -e /tmp/${name} ]; do :; done`;
      await ok(sandbox, leave("one"));
      await ok(sandbox, `${leave("two")}; kill -STOP $!`, { shell: "main" });
      assert.ok((await sandbox.processes()) >= 2);
      await sandbox.terminate({ ms: 60_000 });
      assert.equal(await sandbox.processes(), 0);
      assert.equal(await ok(sandbox, "sort /data/ended"), "one\ntwo");
      assert.equal(await ok(sandbox, "echo $own $PWD", { shell: "main" }), "1 /tmp");
    },
  );

  conformanceTest(
    suite,
    "terminate: what ignores SIGTERM is waited for until the grace is over, or somebody waits",
    async ({ open }) => {
      const sandbox = await open();
      await ok(
        sandbox,
        `sh -c 'trap "" TERM; : >/tmp/up; sleep 6666' >/dev/null 2>&1 & until [ -e /tmp/up ]; do :; done`,
      );
      await sandbox.terminate({ ms: 50 });
      const hurry = AbortSignal.abort();
      const began = performance.now();
      await sandbox.terminate({ ms: 150_000, hurry });
      assert.ok(performance.now() - began < 100_000);
      assert.ok((await sandbox.processes()) > 0);
      await sandbox.close();
      await sandbox.terminate({ ms: 150_000 });
      assert.equal(await sandbox.processes(), 0);
    },
  );

  conformanceTest(suite, "processes: once commands have ended, exactly what they left", async ({ open }) => {
    const sandbox = await open();
    await ok(sandbox, "sleep 600 >/dev/null 2>&1 &");
    const counts: number[] = [];
    for (let time = 0; time < 30; time += 1) {
      // When the longer one ends, a shell for the next command waits already.
      await Promise.all([ok(sandbox, "sleep 0.1"), ok(sandbox, ":")]);
      counts.push(await sandbox.processes());
    }
    assert.deepEqual(
      counts,
      counts.map(() => 1),
    );
  });
}

import assert from "node:assert/strict";
import { hardLimit, syscallNumbers } from "@berth/linux";
import type { Sandbox } from "../../src/interface/sandbox.ts";
import { conformanceTest, ok, type Suite, sh } from "./context.ts";

const NUMBERS = syscallNumbers(process.arch === "arm64" ? "arm64" : "x64");
const GIB = 1024 ** 3;
/** Skipped for pods, whose processes may run on each core of their node. */
export const SEEN_CORES = "programs: a process counts as many cores as it has CPU time for";
/** Skipped without control groups. */
export const SEEN_LIMITS = "programs: a process sees its limits of memory and CPU time";
const PRCTL = process.arch === "arm64" ? 167 : 157;

/** A program that any process of its user may trace, also where Yama restricts debuggers to children. */
const TRACED = `perl -e 'syscall(${PRCTL}, 0x59616d61, -1, 0, 0, 0); $| = 1; print "$$\\n"; sleep 600'`;

/** Prints the result of a ptrace request, and then holds the process until it is killed. */
const debuggerOf = (pid: number, options = 0) =>
  `perl -e '$| = 1; $! = 0; my $r = syscall(${NUMBERS.ptrace}, 0x4206, ${pid}, 0, ${options}); syscall(${NUMBERS.ptrace}, 0x4207, ${pid}, 0, 0) if $ARGV[0]; print $r == 0 ? "held\\n" : "$!\\n"; sleep 600'`;

/** Tests of programs that developers run on their own machines. */
export function programTests(suite: Suite): void {
  conformanceTest(suite, "programs: a debugger traces a process of another command", async ({ open }) => {
    const sandbox = await open();
    const traced = await start(sandbox, TRACED);
    assert.equal(await start(sandbox, debuggerOf(Number(traced))), "held");
    assert.match(await ok(sandbox, `cat /proc/${traced}/status`), /^TracerPid:\s+[1-9]/m);
  });

  conformanceTest(
    suite,
    "programs: gdb, strace and LeakSanitizer, where they are installed",
    async ({ open }) => {
      const sandbox = await open();
      const traced = await start(sandbox, TRACED);
      const has = async (name: string) => (await sh(sandbox, `command -v ${name}`)).exitCode === 0;
      if (await has("gdb")) {
        const output = await ok(sandbox, `gdb -p ${traced} -batch -ex 'info proc' 2>&1`);
        assert.match(output, new RegExp(`^process ${traced}$`, "m"));
      }
      if (await has("strace")) {
        const output = await ok(sandbox, `timeout -s INT 2 strace -p ${traced} 2>&1 || true`);
        assert.match(output, /attached/);
        assert.match(await ok(sandbox, "strace -e trace=openat true 2>&1"), /^openat\(/m);
      }
      // Without control groups, a limit of data bounds memory, and a sanitizer needs terabytes of addresses.
      if ((await has("gcc")) && (await ok(sandbox, "ulimit -d")) === "unlimited") {
        const leak =
          "#include <stdlib.h>\\nint main(void) { void *volatile p = malloc(7); p = 0; return p != 0; }\\n";
        const built = await sh(
          sandbox,
          `printf '${leak}' >leak.c && gcc -fsanitize=address -g leak.c -o leak`,
        );
        if (built.exitCode === 0)
          assert.match((await sh(sandbox, "./leak")).text, /LeakSanitizer: detected memory leaks/);
      }
    },
  );

  conformanceTest(
    suite,
    "programs: an abort kills a process that a debugger of another command holds at its end",
    async ({ open }) => {
      const sandbox = await open();
      const pid = Promise.withResolvers<number>();
      const abort = new AbortController();
      const running = sh(sandbox, `exec ${TRACED}`, {
        signal: abort.signal,
        onOutput: (chunk) => pid.resolve(Number(Buffer.from(chunk).toString())),
      });
      const traced = await pid.promise;
      const PTRACE_O_TRACEEXIT = 0x40;
      assert.equal(await start(sandbox, debuggerOf(traced, PTRACE_O_TRACEEXIT)), "held");
      abort.abort();
      assert.equal((await running).ended, "aborted");
      const until = `while [ -e /proc/${traced}/status ]; do sleep 0.01; done; echo gone`;
      assert.equal(await ok(sandbox, until), "gone");
    },
  );

  conformanceTest(
    suite,
    "programs: a debugger that holds process 1 ends its own sandbox",
    async ({ open }) => {
      const sandbox = await open();
      const said = await start(sandbox, `${debuggerOf(1)} stop`);
      // Yama may restrict debuggers to children.
      if (said !== "held") return;
      void sandbox.run({ script: "true", timeoutMs: 60_000 }).catch(() => {});
      await sandbox.closed;
      assert.equal(await ok(await open(), "echo another"), "another");
    },
  );

  conformanceTest(suite, SEEN_LIMITS, async ({ open }) => {
    const sandbox = await open({
      limits: { memoryBytes: GIB, pids: 256, cpus: 1, diskBytes: null },
    });
    const read = (...files: string[]) =>
      ok(sandbox, `cd /sys/fs/cgroup; cat ${files.join(" ")} 2>/dev/null || true`);
    assert.equal(await read("memory.max", "memory/memory.limit_in_bytes"), String(GIB));
    assert.match(await read("cpu.max", "cpu/cpu.cfs_quota_us"), /^100000( 100000)?$/);
    assert.equal(await ok(sandbox, "echo $GOMEMLIMIT"), String(Math.floor(GIB * 0.9)));
    const has = async (name: string) => (await sh(sandbox, `command -v ${name}`)).exitCode === 0;
    if (await has("node")) {
      const heap = "require('v8').getHeapStatistics().heap_size_limit / 2 ** 20";
      const limit = Number(await ok(sandbox, `node -p "${heap}"`));
      assert.ok(limit > 128 && limit < 800, `node: ${limit} MiB`);
    }
    if (await has("java")) {
      const flags = await ok(sandbox, "java -XX:+PrintFlagsFinal -version 2>/dev/null");
      assert.equal(Number(/ MaxHeapSize += (\d+)/.exec(flags)?.[1]), GIB / 4);
      const settings = await ok(sandbox, "java -XshowSettings:system -version 2>&1");
      assert.match(settings, /Effective CPU Count: 1$/m);
    }
  });

  conformanceTest(suite, SEEN_CORES, async ({ open }) => {
    const limits = { memoryBytes: GIB, pids: 256, cpus: 1, diskBytes: null };
    const sandbox = await open({ limits });
    assert.equal(await ok(sandbox, "nproc"), "1");
  });

  conformanceTest(
    suite,
    "programs: a core file, if the machine writes it beside the program",
    async ({ open }) => {
      const sandbox = await open();
      const pattern = await ok(sandbox, "cat /proc/sys/kernel/core_pattern");
      const crash =
        "cd /tmp; (ulimit -S -c unlimited; exec sh -c 'kill -SEGV $$'); find . -name 'core*' -size +0 | wc -l";
      const beside =
        pattern !== "" &&
        !/[|/]/.test(pattern) &&
        hardLimit("Max core file size") === Number.POSITIVE_INFINITY;
      assert.equal((await ok(sandbox, `{ ${crash}; } 2>/dev/null`)).trim(), beside ? "1" : "0");
    },
  );
}

/** Starts a program that stays, and returns the first line of its output. */
async function start(sandbox: Sandbox, script: string): Promise<string> {
  const begin = `said=$(mktemp); ${script} >"$said" 2>&1 </dev/null &`;
  return await ok(sandbox, `${begin} until [ -s "$said" ]; do sleep 0.02; done; head -n 1 "$said"`);
}

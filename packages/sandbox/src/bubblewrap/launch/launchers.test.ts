import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, test } from "node:test";
import { thisProcess } from "@berth/linux";
import { until } from "../../../test-support/conformance/until.ts";
import { findHierarchies } from "../../host/cgroup/cgroup-layouts.ts";
import { Cgroups } from "../../host/cgroup/cgroups.ts";
import { takenArguments } from "./launch-program.ts";
import { DESCRIPTORS, type Launcher, Launchers, pipeOf } from "./launchers.ts";

let cgroups: Cgroups;
let launchers: Launchers;

beforeEach(() => {
  const membership = readFileSync("/proc/self/cgroup", "utf8");
  cgroups = new Cgroups(findHierarchies("/sys/fs/cgroup", membership), `test-launchers-${process.pid}`);
  launchers = launchersWith("/usr/bin/perl");
});

afterEach(async () => {
  await launchers.close();
  await cgroups.destroyAll(() => true);
  await cgroups.close();
});

function launchersWith(perl: string): Launchers {
  return new Launchers({ perl, filter: "/dev/null", cgroups, owner: thisProcess() });
}

/** Returns the pids of this process's children, except ended ones. */
function children(): number[] {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, "latin1").trim().split(" ");
  return pids.filter(Boolean).map(Number);
}

async function give({ child }: Launcher, given: string): Promise<{ output: string; code: number | null }> {
  const exited = once(child, "exit");
  pipeOf<Writable>(child, DESCRIPTORS.steps).end(given);
  const output = await text(child.stdout as Readable);
  const [code] = await exited;
  return { output, code };
}

/** Returns the pids of the waiting processes once there is one. */
async function waiting(before: readonly number[]): Promise<number[]> {
  const others = () => children().filter((pid) => !before.includes(pid));
  await until(
    () => others().length > 0,
    () => "no process waits",
  );
  return others();
}

/** Ends a launcher and waits until it is reaped. */
async function ended(launcher: Launcher): Promise<void> {
  const exited = once(launcher.child, "exit");
  await launcher.end();
  await exited;
}

function isGroup(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

const isRoot = process.getuid?.() === 0;

test("take: the process that waits, which then becomes the command", { skip: !isRoot }, async () => {
  const before = children();
  const echo = takenArguments(["limit", "4", "0", "0"], ["/bin/echo", "a", "", "b"]);
  assert.deepEqual(await give(await launchers.take(), echo), { output: "a  b\n", code: 0 });
  const there = await waiting(before);
  const taken = await launchers.take();
  assert.deepEqual([taken.child.pid], there);
  assert.deepEqual(await give(taken, echo), { output: "a  b\n", code: 0 });
});

test("take: each process is in a control group of its own, which ends with it", async (context) => {
  if (cgroups.controllers.length === 0) return context.skip("no control group can be made here");
  const [one, two] = await Promise.all([launchers.take(), launchers.take()]);
  for (const { child, cgroup } of [one, two]) {
    for (const file of cgroup.processFiles) {
      const members = () => readFileSync(file, "latin1").trim();
      await until(
        () => members() === String(child.pid),
        () => `${file}: ${members()}`,
      );
    }
  }
  // A process that waits for the next sandbox may have started meanwhile.
  const [first, second] = [one.cgroup.name, two.cgroup.name];
  const left = async () => (await cgroups.names()).filter((name) => [first, second].includes(name));
  await one.end();
  assert.deepEqual(await left(), [second]);
  await two.end();
  assert.deepEqual(await left(), []);
});

for (const [what, cut] of [
  ["none", 0],
  ["a part of the steps", 12],
  ["all but the end of the last", -1],
] as const) {
  test(`take: ${what} of the arguments come → nothing runs`, async () => {
    const whole = takenArguments(["limit", "4", "0", "0"], ["/bin/echo", "run"]);
    assert.deepEqual(await give(await launchers.take(), whole.slice(0, cut)), { output: "", code: 0 });
  });
}

test("take: the process that waited has died → another one", { skip: !isRoot }, async () => {
  const before = children();
  const first = await launchers.take();
  await ended(first);
  const [pid = 0] = await waiting(before);
  const [dead = ""] = (await cgroups.names()).filter((name) => name !== first.cgroup.name);
  process.kill(pid, "SIGKILL");
  await until(
    () => !children().includes(pid),
    () => "it still runs",
  );
  const taken = await launchers.take();
  assert.notEqual(taken.child.pid, pid);
  const echo = takenArguments(["limit", "4", "0", "0"], ["/bin/echo", "run"]);
  assert.deepEqual(await give(taken, echo), { output: "run\n", code: 0 });
  assert.ok(!(await cgroups.names()).includes(dead));
});

test("take: no such program → an error, and no control group is left", async () => {
  const without = launchersWith("/usr/bin/no-such-perl");
  await assert.rejects(without.take(), /ENOENT/);
  await without.close();
  assert.deepEqual(await cgroups.names(), []);
});

test("close: the process that waits is ended, with its guard and its group", { skip: !isRoot }, async () => {
  const before = children();
  const taken = await launchers.take();
  await ended(taken);
  const [pid = 0] = await waiting(before);
  await launchers.close();
  await until(
    () => children().length === before.length,
    () => `left: ${children()}`,
  );
  await until(
    () => !isGroup(pid),
    () => "its guard is left",
  );
  assert.deepEqual(await cgroups.names(), []);
});

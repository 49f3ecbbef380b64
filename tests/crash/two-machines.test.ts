import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { administerHost, hostOf, listHosts } from "../acceptance/harness/hosts.ts";
import { settingsToShare } from "../acceptance/harness/shared-database.ts";
import { count, LoadedSession, turns } from "./load.ts";
import { Machine } from "./machine.ts";

const MACHINES = 3;
const SESSIONS = 6;
const MIN_TURNS = 100;
const LEASE_MS = 15_000;

test("three machines on one database, killed, stopped, restarted and frozen: no disk, event or call is lost within the grace", {
  timeout: 540_000,
}, async (context) => {
  // Only its PostgreSQL takes part: it is drained before there are sessions.
  const store = await Berth.start();
  const machines: Machine[] = [];
  const sessions: LoadedSession[] = [];
  try {
    await administerHost(store, "drain", hostOf(store));
    const token = await store.token();
    const settings = settingsToShare(store);
    for (let n = 0; n < MACHINES; n++) machines.push(await Machine.start(settings));
    let next = 0;
    // Like a load balancer, it skips machines that do not respond.
    const anyMachine = () => {
      const responding = machines.filter((machine) => !machine.isFrozen);
      return new Api((responding[next++ % responding.length] as Machine).berth.url, token);
    };
    for (let n = 0; n < SESSIONS; n++) sessions.push(await LoadedSession.start(anyMachine));
    const [a, b, c] = machines as [Machine, Machine, Machine];

    const began = performance.now();
    for (const fault of faults(a, b, c)) {
      await turns(sessions, 8, context.signal);
      await fault();
      context.diagnostic(`${Math.round((performance.now() - began) / 1000)} s: ${fault.name}`);
    }
    await turns(sessions, 8, context.signal);

    let total = 0;
    for (const session of sessions) {
      const log = await session.check();
      total += count(log, "session.status_idle");
      assert.equal(count(log, "session.container_reclaimed"), 0, "no disk is lost");
    }
    context.diagnostic(`${total} turns`);
    assert.ok(total >= MIN_TURNS, `only ${total} turns`);
    const hosts = await listHosts(store);
    const homes = hosts.map(({ sessions: atHome }: AnyJson) => atHome);
    context.diagnostic(`sessions at home: ${homes.join(", ")}`);
    assert.ok(homes.filter((atHome: number) => atHome > 0).length > 1, "the sessions have several homes");
  } finally {
    // Requests to a frozen machine would never be answered.
    for (const machine of machines) machine.thaw();
    await Promise.all(sessions.map((session) => session.stop()));
    await Promise.all(machines.map((machine) => machine.remove()));
    await store.stop();
  }
});

/** Returns the faults. Each ends when the machine is back. */
function faults(a: Machine, b: Machine, c: Machine): Array<() => Promise<void>> {
  const restart = async (machine: Machine, signal: "SIGTERM" | "SIGKILL") => {
    await machine.end(signal);
    await machine.startAgain();
  };
  return [
    async function killedAndStoppedWhileAnotherIsFrozen() {
      // Long enough that the frozen machine's leases expire.
      const leasesEnd = pause(LEASE_MS + 1_000);
      c.freeze();
      await restart(a, "SIGKILL");
      await restart(b, "SIGTERM");
      await leasesEnd;
      c.thaw();
    },
    async function runnerKilled() {
      a.killRunner();
    },
    async function upgraded() {
      for (const machine of [a, b, c]) await restart(machine, "SIGTERM");
    },
    async function killedTogether() {
      await Promise.all([restart(b, "SIGKILL"), restart(c, "SIGKILL")]);
    },
  ];
}

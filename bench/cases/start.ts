import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Api } from "../../tests/acceptance/harness/api.ts";
import { Berth } from "../../tests/acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment } from "../../tests/acceptance/harness/fixtures.ts";
import { descendantsOf } from "../../tests/crash/processes.ts";
import { type Figure, median, times } from "../figure.ts";
import { memory } from "../memory.ts";

/**
 * Measures from the command to `listening`, with an empty data directory and with one in use. The peer is a
 * start of Node alone.
 */
export async function startFigures(): Promise<Figure[]> {
  const node = median(await times(5, () => promisify(execFile)(process.execPath, ["-e", "0"])));
  const fresh: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < 3; round++) {
    let berth: Berth | undefined;
    fresh.push(...(await times(1, async () => (berth = await Berth.start()))));
    await berth?.kill("SIGTERM");
    again.push(
      ...(await times(1, async () => (berth = await Berth.start({ dataDir: berth?.dataDir ?? "" })))),
    );
    await berth?.stop();
  }
  const peer = "`node -e 0`";
  return [
    {
      what: "start to ready, empty data directory",
      peer,
      unit: "ms",
      value: median(fresh),
      peerValue: node,
      note: "a copy of the prepared database",
    },
    { what: "start to ready, again", peer, unit: "ms", value: median(again), peerValue: node },
  ];
}

/** Milliseconds after which an idle process has released the memory of its start or a load. */
const REST_MS = 25_000;

/**
 * Measures the memory of all processes of the service at rest, with 1,000 idle sessions against none. Shared
 * pages count once.
 */
export async function memoryFigures(berth: Berth, api: Api): Promise<Figure[]> {
  await pause(REST_MS);
  const before = memory(berth.pid);
  const [agent, environment] = [await makeAgent(api), await makeEnvironment(api)];
  for (let made = 0; made < 1000; made += 20) {
    const body = { agent: agent.id, environment_id: environment.id };
    await Promise.all(Array.from({ length: 20 }, () => api.ok("POST", "/sessions", body)));
  }
  const processes = descendantsOf(berth.pid).length + 1;
  await pause(REST_MS);
  const value = memory(berth.pid);
  const note = `${processes} processes; ${(((value - before) * 1024) / 1000).toFixed(0)} KiB per session`;
  return [
    {
      what: "memory with 1,000 idle sessions",
      peer: "the same service without them",
      unit: "MiB",
      value,
      peerValue: before,
      note,
    },
  ];
}

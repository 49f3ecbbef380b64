import { bash, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { readEventsUntil } from "../../tests/acceptance/harness/stream.ts";
import { startTestEngine, TEST_IMAGE } from "../../tests/container-engine/container-engine.ts";
import { manyFiles, type RepositoryBench, startRepositoryBench } from "../bench-repository.ts";
import { type Figure, median, percentile, times } from "../figure.ts";

const FILES = 50_000;
const ROUNDS = 9;
const COLD_ROUNDS = 3;
const CONCURRENT = 24;
const BURST_ROUNDS = 7;
const PEER = `\`git clone\` of the same ${FILES} files`;

/**
 * Measures from the creation of a session to the result of its first command in a clone. The peer is `git
 * clone` from the same server.
 */
export async function repositoryFigures(): Promise<Figure[]> {
  const { figures, warm } = await bubblewrapFigures();
  return [...figures, ...(await containerFigures(warm))];
}

/** Measures with bubblewrap. `warm` is the median in milliseconds with a warm snapshot. */
async function bubblewrapFigures(): Promise<{ figures: Figure[]; warm: number }> {
  const bench = await startRepositoryBench(manyFiles(FILES), { BERTH_SANDBOX_IDLE_SECONDS: "2" });
  try {
    const { cold, clones } = await neverSeen(bench);
    const clone = median(clones);
    await bench.firstCommand("large");
    await bench.snapshots(COLD_ROUNDS + 1);
    await bench.parked();
    const warm = await times(ROUNDS, () => bench.firstCommand("large"));
    await bench.parked();
    const bursts: number[] = [];
    for (let round = 0; round < BURST_ROUNDS; round++) {
      bursts.push(
        ...(await times(1, () =>
          Promise.all(Array.from({ length: CONCURRENT }, () => bench.firstCommand("large"))),
        )),
      );
      await bench.parked();
    }
    const resumed = await resume(bench);
    const figures: Figure[] = [
      {
        what: "create → first command, repository never seen before",
        peer: PEER,
        unit: "ms",
        value: median(cold),
        peerValue: clone,
        limit: Math.round(1.15 * clone),
        note: `${COLD_ROUNDS} of each, alternating`,
      },
      {
        what: "create → first command, warm snapshot",
        peer: PEER,
        unit: "ms",
        value: median(warm),
        p95: percentile(warm, 0.95),
        peerValue: clone,
        limit: Math.min(150, Math.round(0.03 * clone)),
      },
      {
        what: `create → first command of ${CONCURRENT} sessions at once, warm snapshot`,
        peer: "one after another",
        unit: "/s",
        value: (CONCURRENT * 1000) / median(bursts),
        peerValue: 1000 / median(warm),
        limit: 25,
        note: `${BURST_ROUNDS} rounds, in order: ${bursts.map((ms) => ((CONCURRENT * 1000) / ms).toFixed(1)).join(", ")}`,
      },
      {
        what: "message → command in a parked session",
        peer: PEER,
        unit: "ms",
        value: median(resumed),
        peerValue: clone,
        limit: 100,
      },
    ];
    return { figures, warm: median(warm) };
  } finally {
    await bench.stop();
  }
}

/** Alternates between a session and a `git clone`, each with a repository that was never cloned before. */
async function neverSeen(bench: RepositoryBench): Promise<{ cold: number[]; clones: number[] }> {
  const cold: number[] = [];
  const clones: number[] = [];
  await bench.plainClone("large");
  for (let round = 0; round < COLD_ROUNDS; round++) {
    const name = await bench.copy();
    cold.push(...(await times(1, () => bench.firstCommand(name))));
    await bench.snapshots(round + 1);
    await bench.parked();
    clones.push(...(await times(1, () => bench.plainClone(name))));
  }
  return { cold, clones };
}

/** Measures a message to a parked session, in milliseconds. */
async function resume(bench: RepositoryBench): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round < COLD_ROUNDS; round++) {
    const session = await bench.firstCommand("large");
    await bench.parked();
    const events = [steps(bash("git -C large rev-parse HEAD"))];
    taken.push(
      ...(await times(1, async () => {
        await bench.api.ok("POST", `/sessions/${session}/events`, { events });
        let results = 0;
        await readEventsUntil(
          bench.api,
          session,
          ({ type }) => type === "agent.tool_result" && ++results === 2,
        );
      })),
    );
  }
  return taken;
}

/** Measures the same with the container engine, which makes a full clone each time. */
async function containerFigures(bubblewrap: number): Promise<Figure[]> {
  const engine = await startTestEngine("dockerd");
  const bench = await startRepositoryBench(manyFiles(FILES), {
    BERTH_SANDBOX: "docker",
    BERTH_DOCKER_SOCKET: engine.socket,
    BERTH_DOCKER_IMAGE: TEST_IMAGE,
  });
  try {
    const taken = await times(COLD_ROUNDS, () => bench.firstCommand("large"));
    return [
      {
        what: "create → first command, in a container of dockerd",
        peer: "bubblewrap with a warm snapshot",
        unit: "ms",
        value: median(taken),
        peerValue: bubblewrap,
      },
    ];
  } finally {
    await bench.stop();
    await engine.close();
  }
}

import { bash, steps } from "../../tests/acceptance/harness/fixtures.ts";
import { eventsUntil } from "../../tests/acceptance/harness/stream.ts";
import { startTestEngine, TEST_IMAGE } from "../../tests/container-engine/container-engine.ts";
import { type RepositoryBench, startRepositoryBench } from "../bench-repository.ts";
import { type Figure, median, percentile, times } from "../figure.ts";

const files = 50_000;
const rounds = 9;
const coldRounds = 3;
const atOnce = 24;
const burstRounds = 7;
const peer = `\`git clone\` of the same ${files} files`;

/** From creating a session to the result of its first command in a clone; beside `git clone` from the same server. */
export async function repositoryFigures(): Promise<Figure[]> {
  const { figures, warm } = await bubblewrapFigures();
  return [...figures, ...(await containerFigures(warm))];
}

/** `warm`: milliseconds to the first command with a warm template. */
async function bubblewrapFigures(): Promise<{ figures: Figure[]; warm: number }> {
  const bench = await startRepositoryBench(files, { BERTH_SANDBOX_IDLE_SECONDS: "2" });
  try {
    const { cold, clones } = await neverSeen(bench);
    const clone = median(clones);
    await bench.firstCommand("large");
    await bench.templates(coldRounds + 1);
    await bench.parked();
    const warm = await times(rounds, () => bench.firstCommand("large"));
    await bench.parked();
    const bursts: number[] = [];
    for (let round = 0; round < burstRounds; round++) {
      bursts.push(
        ...(await times(1, () =>
          Promise.all(Array.from({ length: atOnce }, () => bench.firstCommand("large"))),
        )),
      );
      await bench.parked();
    }
    const resumed = await resume(bench);
    const figures: Figure[] = [
      {
        what: "create → first command, repository never seen before",
        peer,
        unit: "ms",
        value: median(cold),
        peerValue: clone,
        limit: Math.round(1.15 * clone),
        note: `${coldRounds} of each, in turns`,
      },
      {
        what: "create → first command, warm template",
        peer,
        unit: "ms",
        value: median(warm),
        p95: percentile(warm, 0.95),
        peerValue: clone,
        limit: Math.min(150, Math.round(0.03 * clone)),
      },
      {
        what: `create → first command of ${atOnce} sessions at once, warm template`,
        peer: "one after another",
        unit: "/s",
        value: (atOnce * 1000) / median(bursts),
        peerValue: 1000 / median(warm),
        limit: 25,
        note: `${burstRounds} times, in this order: ${bursts.map((ms) => ((atOnce * 1000) / ms).toFixed(1)).join(", ")}`,
      },
      {
        what: "message → command in a parked session",
        peer,
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

/** Alternately, a session and a clone of a repository that nobody has cloned before. */
async function neverSeen(bench: RepositoryBench): Promise<{ cold: number[]; clones: number[] }> {
  const cold: number[] = [];
  const clones: number[] = [];
  await bench.plainClone("large");
  for (let round = 0; round < coldRounds; round++) {
    const name = await bench.another();
    cold.push(...(await times(1, () => bench.firstCommand(name))));
    await bench.templates(round + 1);
    await bench.parked();
    clones.push(...(await times(1, () => bench.plainClone(name))));
  }
  return { cold, clones };
}

/** Each in a session that was parked. */
async function resume(bench: RepositoryBench): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round < coldRounds; round++) {
    const session = await bench.firstCommand("large");
    await bench.parked();
    const events = [steps(bash("git -C large rev-parse HEAD"))];
    taken.push(
      ...(await times(1, async () => {
        await bench.api.ok("POST", `/sessions/${session}/events`, { events });
        let results = 0;
        await eventsUntil(bench.api, session, ({ type }) => type === "agent.tool_result" && ++results === 2);
      })),
    );
  }
  return taken;
}

/** The same with the engine of containers, which clones in full each time. */
async function containerFigures(bubblewrap: number): Promise<Figure[]> {
  const engine = await startTestEngine("dockerd");
  const bench = await startRepositoryBench(files, {
    BERTH_SANDBOX: "docker",
    BERTH_DOCKER_SOCKET: engine.socket,
    BERTH_DOCKER_IMAGE: TEST_IMAGE,
  });
  try {
    const taken = await times(coldRounds, () => bench.firstCommand("large"));
    return [
      {
        what: "create → first command, in a container of dockerd",
        peer: "bubblewrap with a warm template",
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

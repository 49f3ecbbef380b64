import type { Figure } from "../figure.ts";
import type { Run } from "./run.ts";
import { gapsOf, isSleeps, isSmallRead, median90, pauseOf, sumOf, turnOf } from "./sums.ts";

interface Target {
  what: string;
  script: Run["script"];
  unit: Figure["unit"];
  limit: number;
  value(run: Run): number;
}

const TARGETS: readonly Target[] = [
  {
    ...{ what: "input cost of a turn of 40 steps", script: "short", unit: "tokens", limit: 170_000 },
    value: (run) => sumOf(turnOf(run, 1)).cost,
  },
  {
    ...{
      what: "that, a pause of six minutes, 39 more steps",
      script: "short",
      unit: "tokens",
      limit: 320_000,
    },
    value: ({ exchanges }) => sumOf(exchanges).cost,
  },
  {
    ...{ what: "400 calls in a window of 100,000", script: "long", unit: "tokens", limit: 1_400_000 },
    value: ({ exchanges }) => sumOf(exchanges).cost,
  },
  {
    ...{ what: "the pause itself, at 150,000 tokens", script: "pause", unit: "tokens", limit: 30_000 },
    value: (run) => sumOf(pauseOf(run)).cost,
  },
  {
    ...{ what: "response → next request, small read, median", script: "long", unit: "ms", limit: 8 },
    value: (run) => median90(gapsOf(run, isSmallRead))[0],
  },
  {
    ...{ what: "the same, 90th percentile", script: "long", unit: "ms", limit: 20 },
    value: (run) => median90(gapsOf(run, isSmallRead))[1],
  },
  {
    ...{ what: "three calls of `sleep 1` in one response", script: "short", unit: "ms", limit: 1_200 },
    value: (run) => gapsOf(run, isSleeps)[0] ?? Number.NaN,
  },
];

/**
 * Returns the first contender's figures, each beside that of the best peer.
 *
 * @param runs of both scripts, in any order.
 */
export function tokenFigures(runs: readonly Run[], own: string, peers: readonly string[]): Figure[] {
  return TARGETS.map(({ what, script, unit, limit, value }) => {
    const measured = (name: string) => {
      const run = runs.find((one) => one.contender.name === name && one.script === script);
      return run === undefined ? Number.NaN : value(run);
    };
    const [best] = peers
      .map((name) => ({ name, value: measured(name) }))
      .filter((peer) => !Number.isNaN(peer.value))
      .toSorted((a, b) => a.value - b.value);
    const common = { what, unit, limit, value: measured(own) };
    return { ...common, peer: best?.name ?? "no peer", peerValue: best?.value ?? Number.NaN };
  });
}

import type { Api } from "../../acceptance/harness/api.ts";
import { bash, makeSession, runTurn, toolResults } from "../../acceptance/harness/fixtures.ts";

/** Milliseconds that calls and commands took, each in the order in which they came. */
export interface Latencies {
  calls: number[];
  commands: number[];
}

/** A session beside the abused ones, and calls of the API. */
export interface Neighbour {
  id: string;
  /** Calls and runs commands, one after another, until this resolves, and so many times at least. */
  during(over: Promise<unknown>, atLeast: number): Promise<Latencies>;
}

export async function makeNeighbour(api: Api, environment: string): Promise<Neighbour> {
  const { id } = await makeSession(api, { environment_id: environment });
  await runTurn(api, id, bash("true"));
  return {
    id,
    async during(over, atLeast) {
      let isOver = false;
      const ended = () => {
        isOver = true;
      };
      over.then(ended, ended);
      const latencies: Latencies = { calls: [], commands: [] };
      for (let round = 0; round < atLeast || !isOver; round++) {
        latencies.calls.push(...(await timed(() => api.ok("GET", "/sessions?limit=20"), 5)));
        latencies.commands.push(...(await timed(() => answers(api, id, round), 1)));
      }
      return latencies;
    },
  };
}

/** The latency that one in a hundred exceeds; of fewer than a hundred the longest. */
export function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.99) - 1)] ?? Number.NaN;
}

async function answers(api: Api, id: string, round: number): Promise<void> {
  const [text] = toolResults(await runTurn(api, id, bash(`echo ${round}`)));
  if (text?.trim() !== `${round}`) throw new Error(`the neighbour's command answered ${text}`);
}

async function timed(run: () => Promise<unknown>, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < count; index++) {
    const began = performance.now();
    await run();
    taken.push(performance.now() - began);
  }
  return taken;
}

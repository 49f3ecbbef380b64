import type { Api } from "../../acceptance/harness/api.ts";
import { bash, makeSession, runTurn, toolResults } from "../../acceptance/harness/fixtures.ts";

/** Durations in milliseconds, in order. */
export interface Latencies {
  calls: number[];
  commands: number[];
}

/** A session beside the abused ones, and API calls. */
export interface Neighbour {
  id: string;
  /**
   * Makes API calls and runs commands, one after another, until `work` settles and at least `minRounds`
   * times.
   */
  during(work: Promise<unknown>, minRounds: number): Promise<Latencies>;
}

/** Creates a neighbour with an open sandbox. */
export async function makeNeighbour(api: Api, environment: string): Promise<Neighbour> {
  const { id } = await makeSession(api, { environment_id: environment });
  await runTurn(api, id, bash("true"));
  return {
    id,
    async during(work, minRounds) {
      let isDone = false;
      const onSettled = () => {
        isDone = true;
      };
      work.then(onSettled, onSettled);
      const latencies: Latencies = { calls: [], commands: [] };
      for (let round = 0; round < minRounds || !isDone; round++) {
        latencies.calls.push(...(await measure(() => api.ok("GET", "/sessions?limit=20"), 5)));
        latencies.commands.push(...(await measure(() => runCommand(api, id, round), 1)));
      }
      return latencies;
    },
  };
}

/** Returns the 99th percentile, which is the maximum of fewer than a hundred values. */
export function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.99) - 1)] ?? Number.NaN;
}

async function runCommand(api: Api, id: string, round: number): Promise<void> {
  const [text] = toolResults(await runTurn(api, id, bash(`echo ${round}`)));
  if (text?.trim() !== `${round}`) throw new Error(`the neighbour's command printed ${text}`);
}

async function measure(run: () => Promise<unknown>, count: number): Promise<number[]> {
  const durations: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedAt = performance.now();
    await run();
    durations.push(performance.now() - startedAt);
  }
  return durations;
}

import { startChatEndpoint } from "../../tests/acceptance/harness/chat-endpoint.ts";
import { type Heat, heat } from "../race/heat.ts";
import { install } from "../race/install.ts";
import { type Result, raceTable } from "../race/race-table.ts";
import type { Racer } from "../race/racer.ts";
import { BERTH } from "../race/racers/berth.ts";
import { DURABLE_STREAMS } from "../race/racers/durable-streams.ts";
import { LANGGRAPH } from "../race/racers/langgraph.ts";
import { MASTRA } from "../race/racers/mastra.ts";
import { OPENCODE } from "../race/racers/opencode.ts";

const RACERS: readonly Racer[] = [BERTH, OPENCODE, LANGGRAPH, MASTRA, DURABLE_STREAMS];
const ROUNDS = 3;

/**
 * Runs Berth beside its peers, which it installs. Each round measures the racers one after another, each
 * alone on the machine, with an empty store and the same model, a server of this process. A racer that cannot
 * be installed or does not finish a round is out, and the table says why.
 */
export async function race(): Promise<string> {
  const model = await startChatEndpoint();
  const results: (Result & { heats: Heat[] })[] = RACERS.map((racer) => ({ racer, heats: [], reason: null }));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const result of results) {
        if (result.reason !== null) continue;
        process.stderr.write(`  round ${round + 1}: ${result.racer.name} …\n`);
        try {
          const installed = await install(result.racer.packages);
          result.heats.push(await heat(result.racer, { installed, model: model.url }));
        } catch (error) {
          result.reason = error instanceof Error ? error.message : `${error}`;
        }
        model.requests.length = 0;
      }
    }
  } finally {
    await model.close();
  }
  return raceTable(results);
}

import type { Capability } from "@berth/sandbox";
import { usefulApiProcesses } from "../config/api-processes.ts";
import type { Config } from "../config/config.ts";

/** Reports whether the API uses the processors of this machine. */
export function describeApiProcesses({ apiProcesses: count }: Config): Capability {
  const name = "api_processes";
  const useful = usefulApiProcesses();
  const detail = count === 1 ? "One process serves the API." : `${count} processes serve the API.`;
  const set = `BERTH_API_PROCESSES=${useful}`;
  if (count > useful + 1)
    return { name, state: "degraded", detail: `${detail} This machine can use ${useful}: set ${set}.` };
  if (count === useful) return { name, state: "yes", detail };
  const advice = `If that is busy all the time, ${set} lets it use more of this machine's processors.`;
  return { name, state: "yes", detail: `${detail} ${advice}` };
}

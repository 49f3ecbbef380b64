import type { Capability } from "../interface/capability.ts";
import { KNOWN_BREACHES } from "./open-by-engine.ts";
import type { ProbeResult } from "./probe.ts";

/**
 * What probes have shown of an engine, one line for each group: `no` where one has succeeded, `degraded` where one could not be
 * tried, or has succeeded and is known to with this engine.
 */
export function isolationCapabilities(engine: string, results: readonly ProbeResult[]): Capability[] {
  const bearable = KNOWN_BREACHES[engine] ?? {};
  return [...Map.groupBy(results, ({ probe }) => probe.group)].map(([group, all]) => {
    const told = all.filter(({ state }) => state !== "held").map((result) => tell(result, bearable));
    const breached = all.some(({ probe, state }) => state === "breached" && !(probe.id in bearable));
    const held = `${all.length - told.length} of ${all.length} probes held.`;
    const state = breached ? "no" : told.length > 0 ? "degraded" : "yes";
    return { name: `isolation_${group}`, state, detail: [held, ...told].join(" ") };
  });
}

function tell({ probe, state, detail }: ProbeResult, bearable: Readonly<Record<string, string>>): string {
  const seen = `${probe.id}: ${detail}`;
  if (state === "untried") return `Not tried was whether a program inside ${probe.tries} (${seen}).`;
  const why = bearable[probe.id];
  return `A program inside ${probe.tries} (${seen})${why === undefined ? "" : `, which is known: ${why}`}.`;
}

import type { Capability } from "../sandbox.ts";
import type { ProbeResult } from "./probe.ts";

/** What probes have shown, one line for each group: `no` where one has succeeded, `degraded` where one could not be tried. */
export function isolationCapabilities(results: readonly ProbeResult[]): Capability[] {
  return [...Map.groupBy(results, ({ probe }) => probe.group)].map(([group, all]) => {
    const held = all.filter(({ state }) => state === "held");
    const breached = all.filter(({ state }) => state === "breached");
    const untried = all.filter(({ state }) => state === "untried");
    const told = [
      `${held.length} of ${all.length} probes held.`,
      ...breached.map(({ probe, detail }) => `A program inside ${probe.tries} (${probe.id}: ${detail}).`),
      ...untried.map(
        ({ probe, detail }) => `Not tried was whether one ${probe.tries} (${probe.id}: ${detail}).`,
      ),
    ];
    const state = breached.length > 0 ? "no" : untried.length > 0 ? "degraded" : "yes";
    return { name: `isolation_${group}`, state, detail: told.join(" ") };
  });
}

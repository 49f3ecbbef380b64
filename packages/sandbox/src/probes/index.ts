/** What a test needs that runs the probes through a service: their text, what reads their output, and what there is to find. */
export { allProbes } from "./all-probes.ts";
export { type ProbeVariables, probeScript } from "./prelude.ts";
export type { Probe, ProbeResult } from "./probe.ts";
export { residentVariables } from "./resident.ts";
export { readProbes } from "./run-probes.ts";
export { makeHostStage, neighbourScript, type Stage } from "./stage.ts";

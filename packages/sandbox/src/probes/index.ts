/** What a test needs that runs the probes through a service: their text, what reads their output, and what there is to find. */
export { ALL_PROBES } from "./all-probes.ts";
export { type Canaries, neighbourScript, startHostCanaries } from "./canaries.ts";
export { type ProbeVariables, probeScript } from "./prelude.ts";
export type { Probe, ProbeResult } from "./probe.ts";
export { canaryVariables } from "./resident.ts";
export { readProbes } from "./run-probes.ts";

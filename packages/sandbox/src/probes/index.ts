/**
 * Exports for `berth doctor`, and for tests that run the probes through a service: probe scripts, the parser
 * of their output, and the canaries.
 */
export { ALL_PROBES } from "./all-probes.ts";
export { type Canaries, canaryVariables, neighbourScript, startHostCanaries } from "./canaries.ts";
export { hostProcesses } from "./host-processes.ts";
export { isolationCapabilities } from "./isolation-capabilities.ts";
export { type ProbeVariables, probeScript } from "./prelude.ts";
export type { Probe, ProbeResult } from "./probe.ts";
export { probeEngine } from "./probe-engine.ts";
export { readProbes } from "./run-probes.ts";

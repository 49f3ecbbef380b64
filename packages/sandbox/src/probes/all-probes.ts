import { deviceProbes } from "./device-probes.ts";
import { filesystemProbes } from "./filesystem-probes.ts";
import { gitProbes } from "./git-probes.ts";
import { kernelProbes } from "./kernel-probes.ts";
import { networkProbes } from "./network-probes.ts";
import { privilegeProbes } from "./privilege-probes.ts";
import type { Probe } from "./probe.ts";
import { procProbes } from "./proc-probes.ts";
import { processProbes } from "./process-probes.ts";
import { resourceProbes } from "./resource-probes.ts";
import { sessionProbes } from "./session-probes.ts";

/** Every probe, in the order in which they run. */
export const allProbes: readonly Probe[] = [
  ...filesystemProbes,
  ...procProbes,
  ...processProbes,
  ...kernelProbes,
  ...networkProbes,
  ...deviceProbes,
  ...privilegeProbes,
  ...sessionProbes,
  ...resourceProbes,
  ...gitProbes,
];

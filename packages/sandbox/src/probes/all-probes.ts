import { DEVICE_PROBES } from "./device-probes.ts";
import { FILESYSTEM_PROBES } from "./filesystem-probes.ts";
import { GIT_PROBES } from "./git-probes.ts";
import { KERNEL_PROBES } from "./kernel-probes.ts";
import { NETWORK_PROBES } from "./network-probes.ts";
import { PRIVILEGE_PROBES } from "./privilege-probes.ts";
import type { Probe } from "./probe.ts";
import { PROC_PROBES } from "./proc-probes.ts";
import { PROCESS_PROBES } from "./process-probes.ts";
import { RESOURCE_PROBES } from "./resource-probes.ts";
import { SESSION_PROBES } from "./session-probes.ts";
import { TABLE_PROBES } from "./table-probes.ts";

/** Every probe, in the order in which they run. */
export const ALL_PROBES: readonly Probe[] = [
  ...FILESYSTEM_PROBES,
  ...PROC_PROBES,
  ...PROCESS_PROBES,
  ...KERNEL_PROBES,
  ...NETWORK_PROBES,
  ...DEVICE_PROBES,
  ...PRIVILEGE_PROBES,
  ...SESSION_PROBES,
  ...RESOURCE_PROBES,
  ...TABLE_PROBES,
  ...GIT_PROBES,
];

import type { Requirement } from "./requirement.ts";

/** Rules for running the service under systemd. */
export const serviceManagerRequirements: readonly Requirement[] = [
  {
    id: "service-notify",
    source: "api 6",
    rule: "The service tells the systemd that started it when it is ready and that it stops, and how it is. Its watchdog hears of it four times in the time that the unit allows, unless the API or the process that runs sessions is frozen. No process of a sandbox is told of the socket.",
  },
];

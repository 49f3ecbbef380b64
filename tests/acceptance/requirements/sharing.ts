import type { Requirement } from "./requirement.ts";

/** Rules for what an owner shares. */
export const sharingRequirements: readonly Requirement[] = [
  {
    id: "sharing-session",
    source: "sharing",
    rule: "A session that is shared for reading is followed, with its log, outputs and files, and not written to; one shared for writing is also written to. Taken back, requests are refused at once, and who follows it is cut off.",
  },
  {
    id: "sharing-used",
    source: "sharing",
    rule: "A session may use the agent, environment and vault that others share. Its commands lack the secrets of a vault from the moment on that it is shared no more.",
  },
  {
    id: "sharing-default",
    source: "sharing",
    rule: "What members make is private, or for their organization if that is its default, unless the request says otherwise.",
  },
];

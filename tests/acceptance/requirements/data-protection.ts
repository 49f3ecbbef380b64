import type { Requirement } from "./requirement.ts";

/** Rules for the retention of data, and its erasure. */
export const dataProtectionRequirements: readonly Requirement[] = [
  {
    id: "retention-settings",
    source: "seed 8",
    rule: "How many days sessions, events and files are kept is what berth admin retention says for the organization, else BERTH_RETENTION_DAYS, else without end. Other names and days are refused with one sentence.",
  },
  {
    id: "erasure-of-user",
    source: "seed 8",
    rule: "berth admin erase --user rejects the user's tokens at once, ends running turns, and deletes the user with all that belongs to them: sessions with their disks and events, files and their contents, memory stores, vaults, skills, agents, environments and tokens. Others keep what is theirs.",
  },
  {
    id: "erasure-of-organization",
    source: "seed 8",
    rule: "berth admin erase --org does the same for an organization with all its users and service accounts; its name is free then.",
  },
  {
    id: "erasure-receipt",
    source: "seed 8",
    rule: "The receipt of an erasure says by ids and numbers what was deleted, when, what it waits for, and what is not erased. It can be read later. An erasure goes on after a restart of the service, and is asked for once.",
  },
];

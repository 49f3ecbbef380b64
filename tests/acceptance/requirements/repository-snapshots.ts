import type { Requirement } from "./requirement.ts";

export const snapshotRequirements: readonly Requirement[] = [
  {
    id: "snapshot-apart",
    source: "seed 1",
    rule: "Sessions that start concurrently from one repository snapshot each have a complete clone of their own: no session sees another's changes, and each pushes independently.",
  },
  {
    id: "snapshot-current",
    source: "seed 2.1",
    rule: "A session that starts from a repository snapshot sees the current state of the repository's host, without commits that have since been removed from the repository.",
  },
  {
    id: "snapshot-checkout",
    source: "api 4",
    rule: "A branch or a commit is checked out as in a clone, whatever the repository snapshot has checked out.",
  },
  {
    id: "snapshot-parked",
    source: "seed 8",
    rule: "Uncommitted work in a clone from a repository snapshot survives closing and reopening the sandbox, also across a restart of the service.",
  },
  {
    id: "snapshot-access",
    source: "seed 2.1",
    rule: "A session gets a repository snapshot only if its own credential can read the repository at that moment; otherwise it gets the same error as from a clone.",
  },
  {
    id: "snapshot-organizations",
    source: "seed 1",
    rule: "A repository snapshot of one organization is never used for sessions of another.",
  },
  {
    id: "snapshot-turns",
    source: "seed 1",
    rule: "A git server whose responses never end does not delay building snapshots for sessions of another organization.",
  },
  {
    id: "snapshot-impossible",
    source: "seed 1",
    rule: "A repository whose history has harmless faults of old versions of git gets a repository snapshot; of one that can have none, the log and the session.resource_ready event of the next clone tell why.",
  },
];

import type { Requirement } from "./requirement.ts";

export const snapshotRequirements: readonly Requirement[] = [
  {
    id: "template-apart",
    source: "seed 1",
    rule: "Sessions that are given one repository at once from what was prepared have each a whole clone of their own: what one does in it, another never sees, and each pushes by itself.",
  },
  {
    id: "template-current",
    source: "seed 2.1",
    rule: "What was prepared earlier is brought to what the repository's host has now before the session sees it, and no commit that was taken out of the repository since is in it.",
  },
  {
    id: "template-checkout",
    source: "api 4",
    rule: "A branch or a commit is checked out as in a clone, whatever was checked out in what was prepared.",
  },
  {
    id: "template-parked",
    source: "seed 8",
    rule: "Uncommitted work in a repository that was prepared is there again when a sandbox that had closed is opened again, also by a service that was started anew.",
  },
  {
    id: "template-access",
    source: "seed 2.1",
    rule: "A session is given what was prepared only if its own credential may read the repository at that moment; else it is told exactly what a clone would have told.",
  },
  {
    id: "template-organizations",
    source: "seed 1",
    rule: "What was prepared for sessions of one organization is never given to those of another.",
  },
  {
    id: "template-turns",
    source: "seed 1",
    rule: "A server of repositories that never ends its answers holds back nothing that is prepared for the sessions of another organization.",
  },
];

import type { Requirement } from "./requirement.ts";

export const reclaimRequirements: readonly Requirement[] = [
  {
    id: "reclaim-idle",
    source: "seed 8",
    rule: "After so many seconds without activity, 86,400 unless the installation says otherwise, a session's container and disk go, which session.container_reclaimed tells; nothing of the session's log or Files is lost.",
  },
  {
    id: "reclaim-anew",
    source: "seed 1",
    rule: "The next event sets the container up anew: repositories are cloned again with the token of then, files are mounted again, uncommitted work is gone, and the agent is told so once.",
  },
  {
    id: "reclaim-outputs",
    source: "api 4",
    rule: "What a process of the agent left as output after its turn is saved before the disk goes.",
  },
  {
    id: "reclaim-race",
    source: "seed 1",
    rule: "An event that comes while a disk is reclaimed is answered like any other, and nothing is lost or done twice.",
  },
  {
    id: "reclaim-spares",
    source: "seed 8",
    rule: "The disk of a running session is not reclaimed, however long the turn takes; an archived or terminated session is not told as reclaimed.",
  },
];

import type { Requirement } from "./requirement.ts";

export const reclaimRequirements: readonly Requirement[] = [
  {
    id: "reclaim-idle",
    source: "seed 8",
    rule: "A session without activity for the configured time, by default 86,400 seconds, loses its container and disk, which session.container_reclaimed records; its log and Files remain.",
  },
  {
    id: "reclaim-anew",
    source: "seed 1",
    rule: "The next event creates a new container: repositories are cloned again with the current token, files are mounted again, uncommitted work is lost, and the agent is informed once.",
  },
  {
    id: "reclaim-outputs",
    source: "api 4",
    rule: "Outputs that a background process of the agent writes after the turn are saved before the disk is removed.",
  },
  {
    id: "reclaim-race",
    source: "seed 1",
    rule: "An event sent while a disk is being reclaimed is processed like any other, and nothing is lost or done twice.",
  },
  {
    id: "reclaim-spares",
    source: "seed 8",
    rule: "The disk of a running session is not reclaimed, however long the turn takes; an archived or terminated session gets no session.container_reclaimed.",
  },
  {
    id: "workspace-ephemeral",
    source: "api 4",
    rule: "With an ephemeral workspace a session loses its disk when its sandbox is closed, which session.container_reclaimed records with the reason inactivity; outputs are saved first, and the next command has a new disk with the repositories cloned again. By default the workspace is persistent.",
  },
];

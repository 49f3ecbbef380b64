import type { Requirement } from "./requirement.ts";

/** Rules for saves of workspaces, against the loss of their machine. */
export const saveRequirements: readonly Requirement[] = [
  {
    id: "save-restored",
    source: "seed 1",
    rule: "With BERTH_WORKSPACE_SAVES=idle, what is on a session's disk is saved when its sandbox is closed: a service that takes the session over from a machine that is lost continues on a disk with all of it, uncommitted work in repositories included, and clones nothing again.",
  },
  {
    id: "save-lost-calls",
    source: "seed 1",
    rule: "session.container_reclaimed tells of when the save is and how many tool calls began after that; what they did on the disk is lost, and nothing else.",
  },
  {
    id: "save-cut",
    source: "seed 1",
    rule: "A save that is cut by a message, or by the death of the service, leaves the save before it as it was; the message's turn does not wait for it, and nothing of the cut one stays stored.",
  },
  {
    id: "save-too-large",
    source: "seed 1",
    rule: "A workspace that takes more than BERTH_WORKSPACE_SAVE_MB is not saved: a session.error of type workspace_save_error and a metric tell it, and the save before it stays.",
  },
  {
    id: "save-drain",
    source: "seed 1",
    rule: "A drained service with BERTH_WORKSPACE_SAVES=idle saves what is on a disk before it gives it up, so that nothing of it is lost.",
  },
];

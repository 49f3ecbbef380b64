import type { Requirement } from "./requirement.ts";

/** Filters of lists, what sessions tell of their time, and what limits them. */
export const filterRequirements: readonly Requirement[] = [
  {
    id: "event-filters",
    source: "api 4",
    rule: "The log filters by types[] and created_at in both orders; its cursors are bound to the filters and the order.",
  },
  {
    id: "session-filters",
    source: "api 4",
    rule: "Sessions filter by agent_id, environment_id, statuses[] and created_at, alone and together, over pages.",
  },
  {
    id: "event-initial-order",
    source: "api 4",
    rule: "initial_events are taken in their order; one that is refused refuses the session.",
  },
  {
    id: "session-stats-end",
    source: "api 4",
    rule: "active_seconds counts while a turn runs, cancelled ones too, and not after; duration_seconds stops at termination.",
  },
  {
    id: "session-stats-retries",
    source: "api 4",
    rule: "A turn whose request fails and is tried again is rescheduling meanwhile; the wait is active time, and usage is what the requests' ends tell, no more.",
  },
  {
    id: "session-stats-crash",
    source: "api 4",
    rule: "A process that dies in a turn takes nothing from usage and active_seconds and adds nothing twice: usage is what the requests' ends tell.",
  },
  {
    id: "environment-limits",
    source: "api 4",
    rule: "memory_mb and pids of an environment bound the commands of its sessions.",
  },
  {
    id: "environment-disk-limit",
    source: "api 4",
    rule: "disk_mb of an environment, an integer from 64 on, bounds what the files of a session take together; a command that wants more fails with 'No space left on device', and the session goes on.",
  },
  {
    id: "environment-disk-default",
    source: "api 4",
    rule: "A session whose environment sets no disk_mb has the operator's limit (BERTH_SESSION_DISK_MB) where the machine can enforce one, and none where it cannot or the operator wants none.",
  },
  {
    id: "environment-disk-clone",
    source: "api 4",
    rule: "A repository that does not fit on the disk ends as repository_clone_error, which says that the disk is full.",
  },
  {
    id: "environment-disk-refused",
    source: "api 4",
    rule: "Where the machine cannot enforce disk_mb, its sessions tell so with a sandbox_error and run nothing; other sessions run.",
  },
];

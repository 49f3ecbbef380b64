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
];

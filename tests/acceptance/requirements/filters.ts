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
    id: "environment-limits",
    source: "api 4",
    rule: "memory_mb and pids of an environment bound the commands of its sessions.",
  },
];

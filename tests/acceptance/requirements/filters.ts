import type { Requirement } from "./requirement.ts";

/** Filters of lists, and what sessions tell of their time. */
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
];

import type { Requirement } from "./requirement.ts";

/** Filters of lists, statistics of sessions, and resource limits. */
export const filterRequirements: readonly Requirement[] = [
  {
    id: "event-filters",
    source: "api 4",
    rule: "The event log can be filtered by types[] and created_at in both orders; its cursors are bound to the filters and the order.",
  },
  {
    id: "session-filters",
    source: "api 4",
    rule: "Sessions can be filtered by agent_id, environment_id, statuses[] and created_at, alone and combined, across pages.",
  },
  {
    id: "session-search",
    source: "the console's list of sessions",
    rule: "Sessions are found by words of the title, of the addresses of repositories, and of what users and agents said, within seconds of a turn's end; nobody finds one that they may not see.",
  },
  {
    id: "session-filters-console",
    source: "the console's list of sessions",
    rule: "Sessions can be filtered by owner_id, by a part of the title (letters in upper or lower case), and by calls that wait for a client (requires_action), alone and combined, across pages. A filter shows nobody a session that they may not see.",
  },
  {
    id: "session-outcomes",
    source: "the console's list of sessions",
    rule: "A session says what its last turn came to and when it ended (last_turn, null before the first), and a repository why its clone failed (error). Sessions can be filtered by that (outcomes[], repository_failed), by being set aside (set_aside), and sorted by last activity (sort=updated_at, between updated_at[gte] and updated_at[lt]), across pages.",
  },
  {
    id: "event-initial-order",
    source: "api 4",
    rule: "initial_events are processed in their order; if one is rejected, the session is not created.",
  },
  {
    id: "session-stats-end",
    source: "api 4",
    rule: "active_seconds counts while a turn runs, including cancelled turns, and not afterwards; duration_seconds stops at termination.",
  },
  {
    id: "session-stats-retries",
    source: "api 4",
    rule: "While a turn waits to retry a failed model request its status is rescheduling; the wait is active time, and usage is the sum over the span.model_request_end events.",
  },
  {
    id: "session-stats-crash",
    source: "api 4",
    rule: "A process that dies during a turn neither loses nor double-counts usage and active_seconds: usage is the sum over the span.model_request_end events.",
  },
  {
    id: "environment-limits",
    source: "api 4",
    rule: "memory_mb and pids of an environment limit the commands of its sessions.",
  },
  {
    id: "environment-ceilings",
    source: "api 4",
    rule: "No environment can ask for more processors, memory, processes or disk than the operator allows (BERTH_MAX_CPUS, BERTH_MAX_MEMORY_MB, BERTH_MAX_PIDS, BERTH_MAX_DISK_MB, by default from the machine): 400 with the field. A session whose environment was stored with more gets what is allowed, and its log says which limits are lower (lowered_limits of session.container_started).",
  },
  {
    id: "environment-disk-limit",
    source: "api 4",
    rule: "disk_mb of an environment, an integer of at least 64, limits the total size of a session's files; a command that exceeds it fails with 'No space left on device', and the session continues.",
  },
  {
    id: "environment-disk-default",
    source: "api 4",
    rule: "Without disk_mb, a session has the operator's limit (BERTH_SESSION_DISK_MB) where the machine can enforce one, and no limit where it cannot or the operator sets none.",
  },
  {
    id: "environment-disk-clone",
    source: "api 4",
    rule: "A repository that does not fit on the disk fails with a repository_clone_error that says that the disk is full.",
  },
  {
    id: "environment-disk-refused",
    source: "api 4",
    rule: "Where the machine cannot enforce disk_mb, sessions with it report a sandbox_error and run nothing; other sessions run.",
  },
];

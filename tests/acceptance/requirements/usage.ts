import type { Requirement } from "./requirement.ts";

/** Rules for usage. */
export const usageRequirements: readonly Requirement[] = [
  {
    id: "usage-totals",
    source: "api 4",
    rule: "GET /usage returns sessions, turns, active seconds, tokens by kind and their list cost, in all and by day, agent, user, model or environment. Its totals equal the sums of the sessions' own usage, also after a runner was killed in a turn.",
  },
  {
    id: "session-cache-share",
    source: "api 4",
    rule: "A session, and each line and the total of a report of usage, says which part of the input tokens the provider's cache served, from 0 to 1, and null without input. A session says what its tokens cost by the list price.",
  },
  {
    id: "session-compaction-savings",
    source: "api 4",
    rule: "A session says what compactions saved: each answered request counts once, for the newest compaction before it, also after a runner was killed; less what the summaries cost.",
  },
  {
    id: "prefix-log-line",
    source: "api 4",
    rule: "When a model request does not begin with what the answered one before it sent, the service's log has one warning with session, organization and the first part that differs, and nothing of its content. A compaction, left out content, another model and a restart are none.",
  },
  {
    id: "usage-access",
    source: "api 4",
    rule: "A report is about the sessions that the caller may read: a user's own and the organization's, an admin's whole organization, never another organization's. It requires sessions:read.",
  },
  {
    id: "usage-range",
    source: "api 4",
    rule: "from and to are days in UTC, both included, by default the last 30 days. No day, an unknown group_by, from after to and more than 366 days are 400 with the parameter.",
  },
  {
    id: "usage-of-deleted",
    source: "api 4",
    rule: "What a deleted session used stays in the reports. Of an erased user the organization's reports keep the numbers, without the user.",
  },
];

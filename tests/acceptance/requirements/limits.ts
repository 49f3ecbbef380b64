import type { Requirement } from "./requirement.ts";

/** Rules for limits of organizations and users. */
export const limitRequirements: readonly Requirement[] = [
  {
    id: "limit-requests",
    source: "seed 8",
    rule: "Requests over the rate of the organization or of the user are rejected with 429 rate_limit_error, which names the limit and whose it is, with retry-after; a request that waits so long succeeds. Others are not slowed down.",
  },
  {
    id: "limit-sessions",
    source: "seed 8",
    rule: "A session over the limit of open sessions is rejected with 429 and nothing is stored; of two at the last place one succeeds. One that is archived, terminated or deleted makes room.",
  },
  {
    id: "limit-files",
    source: "seed 8",
    rule: "A file whose bytes are over what its owner may have is rejected with 429 and nothing is stored; announced sizes count. An upload without an announced size is rejected at its end, and can be completed once there is room.",
  },
  {
    id: "limit-addresses",
    source: "seed 8",
    rule: "With BERTH_ADDRESS_LIMITS, requests of one client address with tokens that the service does not know, or of operations that need none, are answered with 429 rate_limit_error and retry-after once they are over its rate, without a look at the token. First requests with one token count as one if it is valid. Tokens that were accepted before go on from the same address.",
  },
  {
    id: "limit-turns",
    source: "seed 8",
    rule: "While an organization or a user has as many turns as running_turns allows, over all hosts, a further message waits, and its turn begins when one ends. Interrupts, archiving and deletion do not wait.",
  },
  {
    id: "fair-turns",
    source: "seed 8",
    rule: "While more sessions are due than all runners have places, each place that becomes free goes to an organization that its runner served least recently, and in it to its users in turn. While one organization has more than three quarters of a runner's places, others get up to a quarter more, and it gets none while they wait: a thousand due sessions of one organization delay no turn of others, until these have a quarter.",
  },
  {
    id: "limit-work",
    source: "seed 8",
    rule: "Over sandbox_seconds_per_day or disk_bytes, messages are rejected with 429 rate_limit_error, for the seconds with retry-after until the next day (UTC). Turns that run go on, with replies to their calls; interrupts are accepted.",
  },
  {
    id: "limit-settings",
    source: "seed 8",
    rule: "Limits are those of berth admin limits, else those of BERTH_ORGANIZATION_LIMITS and BERTH_USER_LIMITS, and for each name that these leave out the default, which keeps one owner from taking the whole of a service; none is no limit. A running service follows a change within seconds. A 429 is not kept for an Idempotency-Key.",
  },
];

import type { Requirement } from "./requirement.ts";

/** Rules for what waits for a user, and what they have not seen. */
export const deskRequirements: readonly Requirement[] = [
  {
    id: "desk-unseen",
    source: "desk",
    rule: "A session on a user's desk is unseen from each end, failure or question of a turn on, and from a failed clone on, until this user marks it as seen, or sends something to it. Each user has marks of their own, which change nothing for others. A session that is archived or terminated is unseen by nobody.",
  },
  {
    id: "desk-mine",
    source: "desk",
    rule: "On a user's desk are the sessions that they own, and the last fifty of others to which they sent a message or an answer, or which they marked as unseen, while these are shared with them. Others are not, even if the user may see them. Service accounts have no desk.",
  },
];

import { z } from "zod";
import { idOf } from "../../conventions/fields.ts";

export const FOLLOW_STOP_TYPES = [
  "merged",
  "closed",
  "person_pushed",
  "attempts",
  "budget",
  "followed_elsewhere",
  "no_access",
  "session_ended",
  "ended",
] as const;

/** Why a session no longer follows its pull request. */
export const followStopReason = z
  .strictObject({
    type: z.enum(FOLLOW_STOP_TYPES).meta({
      description:
        "`person_pushed`: the branch has a commit that the session's clone did not push. `attempts`, `budget`: a bound was reached while there was more to say. `followed_elsewhere`: another session follows the pull request. `no_access`: the host does not let the credential do what is needed. `session_ended`: the session was archived or terminated. `ended`: `follow` was set to null.",
    }),
    message: z.string().meta({ description: "One sentence for people." }),
  })
  .meta({ id: "FollowStopReason" });
export type FollowStopReason = z.output<typeof followStopReason>;

/** The pull request that a session follows. */
export const followedPullRequest = z.strictObject({
  resource_id: idOf("session_resource").nullable().meta({ description: "Null if it is gone." }),
  number: z.int(),
  url: z.string(),
});

const pullRequest = followedPullRequest.pick({ number: true, url: true });
const people = (what: string) =>
  z
    .array(z.strictObject({ author: z.string(), url: z.string().nullable() }))
    .meta({ description: `${what}, with an address of the host itself.` });

/** The fields of events of a follow. */
export const followEvents = {
  started: { pull_request: pullRequest },
  handedOver: {
    pull_request: pullRequest,
    attempt: z.int(),
    max_attempts: z.int(),
    failed_checks: z.array(z.string()),
    comments: people("Reviews and comments that the message before this event has"),
    conflict: z.boolean().meta({ description: "Whether the pull request cannot be merged." }),
    left_out: people(
      "Reviews and comments since the last such event by people who may not write to the repository: the agent is not told of them",
    ),
  },
  stopped: { pull_request: pullRequest.nullable(), reason: followStopReason },
} as const;

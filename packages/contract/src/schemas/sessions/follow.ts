import { z } from "zod";
import { budget } from "../../conventions/budgets.ts";
import { followedPullRequest, followStopReason } from "../events/follow-events.ts";

/** How many times a session may be told what happened to its pull request: at most, and by default. */
const MAX_ATTEMPTS = 100;
const USUAL_ATTEMPTS = 5;

const conflicts = z.enum(["merge", "rebase"]).meta({
  description:
    "What the agent is asked to do when the host says that the pull request cannot be merged: to merge its base into the branch, or to rebase the branch and force its push.",
});

const maxListCost = budget.shape.max_list_cost.meta({
  description:
    "What the session has cost from which on it is told nothing more: all of it, also before it followed. Only for a model whose price is known.",
});

/** What a session or a deployment takes to follow its pull requests. */
export const followInput = z
  .strictObject({
    pull_request: z.literal(true),
    max_attempts: z
      .int()
      .min(1)
      .max(MAX_ATTEMPTS)
      .nullish()
      .transform((value) => value ?? USUAL_ATTEMPTS)
      .meta({
        description: `How many times the agent is told of failed checks, requested changes and comments. Default ${USUAL_ATTEMPTS}.`,
      }),
    max_list_cost: maxListCost.nullish(),
    conflicts: conflicts.nullish().transform((value) => value ?? "merge"),
  })
  .meta({ id: "FollowInput" });
export type FollowInput = z.output<typeof followInput>;

const bounds = {
  pull_request: z.literal(true),
  max_attempts: z.int(),
  max_list_cost: maxListCost.nullable(),
  conflicts,
};

/** How the sessions of a deployment follow their pull requests. */
export const followBounds = z.strictObject(bounds).meta({ id: "FollowBounds" });
export type FollowBounds = z.output<typeof followBounds>;

/** How a session follows its pull request. */
export const follow = z
  .strictObject({
    ...bounds,
    status: z.enum(["waiting", "watching", "stopped"]).meta({
      description:
        "`waiting`: no branch of the session has an open pull request yet. The first one that has is followed.",
    }),
    attempts: z.int().meta({ description: "How many times the agent was told something." }),
    followed: followedPullRequest
      .nullable()
      .meta({ description: "The pull request. Null before there is one." }),
    stopped_reason: followStopReason.nullable(),
    error: z.string().nullable().meta({
      description: "Why the host did not say all when it was last asked; it is asked again. Null if it did.",
    }),
  })
  .meta({ id: "Follow" });
export type Follow = z.output<typeof follow>;

import { z } from "zod";
import { idOf, timestamp } from "../../conventions/fields.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

/** Maximum of pull requests, failed checks and reviews that are listed. The counts of checks include all. */
export const MAX_PULL_REQUESTS = 10;
export const MAX_FAILED_CHECKS = 20;
export const MAX_REVIEWS = 20;
/** Seconds for which a host is not asked again: at least, and by default. */
const LEAST_AGE = 5;
const USUAL_AGE = 30;
const MAX_AGE = 86_400;

const maxAge = z
  .string()
  .optional()
  .transform((value, context) => {
    const seconds = value === undefined ? USUAL_AGE : /^[0-9]+$/.test(value) ? Number(value) : 0;
    if (seconds >= LEAST_AGE && seconds <= MAX_AGE) return seconds;
    const message = `Field 'max_age' must be an integer from ${LEAST_AGE} to ${MAX_AGE.toLocaleString("en")}.`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .meta({
    type: "integer",
    minimum: LEAST_AGE,
    maximum: MAX_AGE,
    description: `Seconds: the host is asked if it was asked longer ago. Default ${USUAL_AGE}.`,
  });

const hostUrl = z.string().nullable().meta({
  description: "An address of the host itself. Null for an address elsewhere, or none.",
});

const checks = z.strictObject({
  state: z.enum(["passing", "failing", "pending", "none", "unknown"]).meta({
    description:
      "`failing`: at least one failed. `pending`: none failed, and at least one has not ended. `none`: there are no checks. `unknown`: the host does not let the credential read them.",
  }),
  total: z.int(),
  pending_count: z.int(),
  failed_count: z.int(),
  failed: z.array(z.strictObject({ name: z.string(), url: hostUrl })).meta({
    description: `The failed ones: at most ${MAX_FAILED_CHECKS} of \`failed_count\`.`,
  }),
});

const reviews = z.strictObject({
  state: z.enum(["approved", "changes_requested", "pending", "none"]).meta({
    description:
      "What the last reviews of all reviewers say together. `pending`: a review was requested, and nobody approved or requested changes.",
  }),
  reviews: z
    .array(
      z.strictObject({
        author: z.string(),
        state: z.enum(["approved", "changes_requested", "commented", "dismissed"]),
        submitted_at: timestamp.nullable().meta({ description: "Null if the host does not say it." }),
      }),
    )
    .meta({ description: `The last review of each reviewer, newest first: at most ${MAX_REVIEWS}.` }),
});

export const pullRequest = z
  .strictObject({
    type: z.literal("pull_request"),
    number: z.int().meta({ description: "Its number in the repository: the `iid` of a merge request." }),
    url: z.string(),
    title: z.string().meta({ description: "At most 300 characters." }),
    state: z.enum(["open", "draft", "merged", "closed"]),
    head: z.string().meta({ description: "The session's branch." }),
    base: z.string().meta({ description: "The branch that it is to be merged into." }),
    mergeable: z.boolean().nullable().meta({
      description: "Whether it can be merged without conflicts. Null if the host does not say it.",
    }),
    checks,
    reviews,
    updated_at: timestamp,
  })
  .meta({ id: "PullRequest" });
export type PullRequest = z.output<typeof pullRequest>;

export const repositoryPullRequests = z
  .strictObject({
    type: z.literal("repository_pull_requests"),
    resource_id: idOf("session_resource"),
    url: z.string().meta({ description: "The repository's." }),
    host: z.string(),
    repository: z.string().meta({ description: "Its full name at the host." }),
    branches: z.array(z.string()).meta({
      description:
        "Branches of the session that were pushed, or that it checked out as it was created, the current one first: at most 5. While there is none, the host is not asked.",
    }),
    pull_requests: z.array(pullRequest).meta({
      description: `Those whose head is one of the branches, and which are open or changed since the session was created, the newest first: at most ${MAX_PULL_REQUESTS}.`,
    }),
    refreshed_at: timestamp.nullable().meta({
      description: "When the host said this. Null before it did.",
    }),
    error: z
      .strictObject({
        message: z.string().meta({ description: "One sentence for people." }),
        failed_at: timestamp,
        retry_at: timestamp.nullable().meta({
          description: "Until when the host asks to wait; it is not asked before. Null if it does not say.",
        }),
      })
      .nullable()
      .meta({
        description:
          "Why the host did not say all when it was last asked. What it said before stays. Null if it did.",
      }),
  })
  .meta({ id: "RepositoryPullRequests" });
export type RepositoryPullRequests = z.output<typeof repositoryPullRequests>;

export const sessionPullRequests = z
  .strictObject({
    type: z.literal("session_pull_requests"),
    session_id: idOf("session"),
    repositories: z
      .array(repositoryPullRequests)
      .meta({ description: "In the order of the session's resources." }),
  })
  .meta({ id: "SessionPullRequests" });
export type SessionPullRequests = z.output<typeof sessionPullRequests>;

export const pullRequestRoutes = {
  get: defineRoute(operations.pullRequests.get, {
    params: z.strictObject({ session_id: z.string() }),
    query: z.strictObject({ max_age: maxAge }),
    response: sessionPullRequests,
  }),
};

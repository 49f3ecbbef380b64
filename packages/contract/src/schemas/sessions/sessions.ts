import { z } from "zod";
import { budget } from "../../conventions/budgets.ts";
import {
  environmentVariables,
  idOf,
  idOfOwner,
  metadata,
  metadataPatch,
  referenceTo,
  text,
  timestamp,
} from "../../conventions/fields.ts";
import { gitIdentity, gitIdentityInput } from "../../conventions/git-identity.ts";
import { flag, listQuery, timeBound } from "../../conventions/page.ts";
import { sharedOwner, sharedWithMe, visibilityInput } from "../../conventions/sharing.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";
import { sharingRoutes } from "../../operations/sharing-routes.ts";
import { sessionAgent } from "../agents/agents.ts";
import { chosenRuntimes, devcontainer } from "../environments/runtimes.ts";
import { initialEvents } from "../events/input-events.ts";
import { STOP_REASON_TYPES, sessionUsage } from "../events/session-events.ts";
import { cachedInputShare, compactionSavings } from "../events/token-costs.ts";
import { follow, followInput } from "./follow.ts";
import { agentReference, vaultIds } from "./references.ts";
import { resourceInput, sessionResource } from "./session-resources.ts";

export const SESSION_STATUSES = ["idle", "running", "rescheduling", "terminated"] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** The outcomes of a turn. */
export const TURN_OUTCOMES = [...STOP_REASON_TYPES, "terminated"] as const;
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

/** The outcomes of an idle session's last turn; `none` before the first turn has ended. */
export const IDLE_OUTCOMES = ["none", ...STOP_REASON_TYPES] as const;

const lastTurn = z
  .strictObject({
    outcome: z.enum(TURN_OUTCOMES).meta({
      description:
        "The type of the turn's stop reason: `end_turn`, the agent was done; `requires_action`, it waits for a client; `retries_exhausted`, it failed; `cancelled`, it was interrupted; `refusal`, the model refused; `max_turns`, it reached a limit; `budget_reached`, a budget has too little left. `terminated`: it ended with the session.",
    }),
    ended_at: timestamp,
  })
  .nullable()
  .meta({ description: "The outcome of the last turn that has ended. Null before the first one." });

const setAside = z
  .strictObject({
    since: timestamp,
    reason: z.enum(["runner_crashed"]).meta({
      description:
        "`runner_crashed`: the process that ran the session's turn crashed or froze twice in a row.",
    }),
  })
  .nullable()
  .meta({
    description:
      "Set while the session is set aside: it runs no turn until it is released. Waiting events keep waiting, and new messages are rejected.",
  });

export const session = z
  .strictObject({
    id: idOf("session"),
    type: z.literal("session"),
    agent: sessionAgent,
    environment_id: idOf("environment"),
    status: z.enum(SESSION_STATUSES),
    title: z.string(),
    metadata,
    resources: z.array(sessionResource),
    vault_ids: z.array(idOf("vault")),
    deployment_id: idOf("deployment")
      .nullable()
      .meta({ description: "The deployment that created it. Null for none." }),
    /** Always empty: this version has no outcomes, which are a beta feature. */
    outcome_evaluations: z.array(z.never()),
    last_turn: lastTurn,
    set_aside: setAside,
    unseen: z.boolean().meta({
      description:
        "Whether it is on the caller's desk and came to something since the caller last looked: a turn ended, failed, or waits for an answer, or a clone failed. On a user's desk are their own sessions, and the last fifty of others to which they sent something. Always false for a service account, and once the session is archived or terminated.",
    }),
    stats: z.strictObject({
      active_seconds: z
        .int()
        .meta({ description: "Time during which the session was running, in whole seconds." }),
      duration_seconds: z
        .int()
        .meta({ description: "Time from creation until now, or until termination, in whole seconds." }),
    }),
    usage: sessionUsage,
    budget: budget.nullable().meta({
      description: "What the session may cost at most. Null: only the limits of its owners count.",
    }),
    cached_input_share: cachedInputShare,
    list_cost_usd: z.number().nullable().meta({
      description:
        "Cost of the tokens in US dollars at today's list prices, to the millionth. Null when the model's price is unknown.",
    }),
    compaction: compactionSavings.meta({
      description: "Savings by compactions of the context, since the service counts them.",
    }),
    follow: follow.nullable().meta({
      description: "How it follows its pull request until that is merged. Null if it does not.",
    }),
    environment_variables: z.record(z.string(), z.string()),
    git_identity: gitIdentity.nullable(),
    chosen_runtimes: chosenRuntimes.nullable().meta({
      description:
        "The versions of runtimes that were chosen from files of its repositories, if its environment's `runtimes` is `auto` or one of them has an `environment`: once, and also for later containers. Null before that, and otherwise.",
    }),
    devcontainer: devcontainer.nullable().meta({
      description:
        "What the session follows of a repository's `devcontainer.json`. Null before it is read, and if no repository has an `environment`.",
    }),
    ...sharedOwner,
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Session" });
export type Session = z.output<typeof session>;

export const SESSION_SORTS = ["created_at", "updated_at"] as const;

/**
 * Rejects parameters that do not match the sort order. Ids are in order of creation, so cursors by id do not
 * apply to a list sorted by activity.
 */
function fitsSort(
  query: { sort?: (typeof SESSION_SORTS)[number] | undefined },
  context: z.RefinementCtx,
): void {
  const sort = query.sort ?? "created_at";
  const other = sort === "created_at" ? /^(updated_at\[|search$)/ : /^(created_at\[|before_id$|after_id$)/;
  const unfit = Object.entries(query).find(([name, value]) => value !== undefined && other.test(name));
  if (unfit === undefined) return;
  const message = `Field '${unfit[0]}' does not fit a list that is sorted by ${sort}.`;
  context.addIssue({ code: "custom", path: [unfit[0]], message });
}

const params = z.strictObject({ session_id: z.string() });

export const sessionRoutes = {
  ...crud(operations.sessions, {
    kind: "session",
    object: session,
    params,
    create: z.strictObject({
      agent: agentReference,
      environment_id: referenceTo("environment"),
      title: text(0, 500).nullish(),
      resources: z.array(resourceInput).max(500).nullish(),
      vault_ids: vaultIds.nullish(),
      metadata: metadata.nullish(),
      environment_variables: environmentVariables.nullish(),
      git_identity: gitIdentityInput.nullish(),
      follow: followInput.nullish(),
      initial_events: initialEvents.nullish(),
      budget: budget.nullish().meta({
        description:
          "What the session may cost at most, by the list prices of its models. Each request is held to it before it is sent. The models must have a price.",
      }),
      visibility: visibilityInput,
    }),
    list: listQuery("session", {
      agent_id: idOf("agent").optional(),
      environment_id: idOf("environment").optional(),
      deployment_id: idOf("deployment").optional(),
      memory_store_id: idOf("memory_store").optional(),
      owner_id: idOfOwner.optional(),
      "statuses[]": z.array(z.enum(SESSION_STATUSES)).optional(),
      "outcomes[]": z.array(z.enum(IDLE_OUTCOMES)).optional().meta({
        description:
          "Return the idle sessions whose last turn had one of these outcomes. `none`: no turn has ended yet.",
      }),
      sort: z.enum(SESSION_SORTS).optional().meta({
        description:
          "The time by which the list is ordered, the latest first. Default `created_at`. `updated_at` is the last activity: a turn began or ended, a client sent something, or a field was changed. A list sorted by it takes only `page`, and is bounded with `updated_at[gte]` and `updated_at[lt]`.",
      }),
      "updated_at[gte]": timeBound,
      "updated_at[lt]": timeBound,
      title: text(1, 200).optional().meta({
        description: "Return the sessions whose title contains this. Case does not matter.",
      }),
      search: text(1, 200).optional().meta({
        description:
          "Return the sessions in which all of these words are: in the title, in the addresses of repositories, or in messages of users and the agent; also words that begin so. Only for a list sorted by `updated_at`. What was said is found some seconds later.",
      }),
      requires_action: flag.meta({
        description: "Return only the sessions with calls that wait for a client's confirmation or result.",
      }),
      repository_failed: flag.meta({
        description:
          "Return only the sessions that lack a repository because its clone has failed. The `error` of the resource has the reason.",
      }),
      set_aside: flag.meta({
        description: "Return only the sessions that are set aside: they run no turn until they are released.",
      }),
      mine: flag.meta({
        description:
          "Return only the sessions on the caller's desk: those that they own, and the last fifty of others to which they sent a message or an answer, or which they marked as unseen. A service account has none.",
      }),
      unseen: flag.meta({
        description: "Return only the sessions on the caller's desk that are `unseen`.",
      }),
      include_archived: flag,
      shared_with_me: sharedWithMe,
    }).superRefine(fitsSort),
    update: z.strictObject({
      title: text(0, 500).nullish(),
      metadata: metadataPatch.nullish(),
      git_identity: gitIdentityInput.nullish(),
      budget: budget.nullish().meta({
        description:
          "Must exceed what the session has cost and what its requests in progress may cost. A session that reached its budget continues by itself. Null removes the budget for good; a session without one can get none.",
      }),
      follow: followInput.nullish().meta({
        description:
          "Follows the session's pull request from now on, or with other bounds; one that was stopped begins anew. Null stops it.",
      }),
      mcp_servers: z
        .array(
          z.strictObject({
            name: z.string().meta({ description: "The name of one of the agent's `mcp_servers`." }),
            retry: z.literal(true).meta({
              description:
                "Asks the server for its tools again at the next turn. Until then, and if the server does not respond, the session keeps its former tools.",
            }),
          }),
        )
        .max(64)
        .nullish(),
    }),
  }),
  ...sharingRoutes(operations.sessions, params),
  cancel: defineRoute(operations.sessions.cancel, { params, response: session }),
  archive: defineRoute(operations.sessions.archive, { params, response: session }),
  release: defineRoute(operations.sessions.release, { params, response: session }),
  terminate: defineRoute(operations.sessions.terminate, { params, response: session }),
  markSeen: defineRoute(operations.sessions.markSeen, { params, response: session }),
  markUnseen: defineRoute(operations.sessions.markUnseen, { params, response: session }),
};

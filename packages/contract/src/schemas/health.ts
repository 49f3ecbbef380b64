import { z } from "zod";
import { hostFields } from "../conventions/host-fields.ts";
import { operations } from "../operations/operations.ts";
import { defineRoute } from "../operations/route.ts";

/**
 * The reasons why a service runs no sessions, as in `/readyz`. `no_runner`, which `/readyz` does not return,
 * is for a service that only has the API.
 */
export const SERVICE_FAULTS = [
  "draining",
  "starting",
  "frozen",
  "sandbox",
  "heartbeat",
  "database",
  "no_runner",
] as const;

const check = z
  .strictObject({
    name: z.string().meta({ description: "What is examined, as `berth doctor` names it." }),
    state: z.enum(["yes", "degraded", "no"]).meta({
      description:
        "`no`: something that users rely on is missing. `degraded`: something weaker is used instead.",
    }),
    detail: z
      .string()
      .meta({ description: "One sentence: what it does, or what is missing and how to get it." }),
  })
  .meta({ id: "HealthCheck" });
export type HealthCheck = z.output<typeof check>;

const host = z.strictObject(hostFields).meta({ id: "HealthHost" });
export type HealthHost = z.output<typeof host>;

const count = z.int().meta({ description: "Sessions of this status that are not archived." });

const health = z
  .strictObject({
    type: z.literal("health"),
    version: z.string().meta({ description: "Of the answering service." }),
    ready: z.boolean().meta({
      description: "Whether the answering service, or for an API alone any service, runs sessions.",
    }),
    fault: z.enum(SERVICE_FAULTS).nullable().meta({
      description:
        "Why it does not. `no_runner`: it is an API alone, and no service that runs sessions was seen for 15 seconds.",
    }),
    checks: z.array(check).meta({
      description:
        "What `berth doctor` says that a running service can tell without a probe. The sandbox is examined by `berth doctor` alone.",
    }),
    hosts: z.array(host).meta({ description: "The services of this database." }),
    sessions: z.strictObject({
      idle: count,
      running: count,
      rescheduling: count,
      terminated: count,
      due: z.int().meta({
        description:
          "Sessions that are due and that no service has taken up, without those that wait until another turn of their owner ends.",
      }),
      due_seconds: z.number().meta({ description: "How long the first of them has waited, in seconds." }),
      set_aside: z.int().meta({
        description:
          "Sessions of which no turn is run until they are released: twice in a row the process that ran them crashed or froze.",
      }),
    }),
    disk: z.strictObject({ size_bytes: z.int(), free_bytes: z.int() }).nullable().meta({
      description:
        "The file system of the answering service's data directory. Null: it could not be measured.",
    }),
    database_bytes: z.int().meta({ description: "Size of the database." }),
    session_disks: z
      .strictObject({ count: z.int(), bytes: z.int() })
      .meta({ description: "Disks of sessions on all hosts, as they were last measured." }),
    repository_snapshots: z.strictObject({ repositories: z.int(), count: z.int(), bytes: z.int() }).meta({
      description: "What is kept of repositories on all hosts, so that sessions start without a clone.",
    }),
  })
  .meta({ id: "Health" });
export type Health = z.output<typeof health>;

export const healthRoutes = {
  /** Returns the health of the whole installation, whatever the organization. Only for admins. */
  get: defineRoute(operations.health.get, { response: health }),
};

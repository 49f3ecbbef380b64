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
    name: z.string().meta({ description: "The name of the check, as in `berth doctor`." }),
    state: z.enum(["yes", "degraded", "no"]).meta({
      description:
        "`no`: something that users rely on is missing. `degraded`: something weaker is used instead.",
    }),
    detail: z
      .string()
      .meta({ description: "One sentence about what works, or what is missing and how to get it." }),
  })
  .meta({ id: "HealthCheck" });
export type HealthCheck = z.output<typeof check>;

const host = z.strictObject(hostFields).meta({ id: "HealthHost" });
export type HealthHost = z.output<typeof host>;

const count = z.int().meta({ description: "Sessions of this status that are not archived." });

const health = z
  .strictObject({
    type: z.literal("health"),
    version: z.string().meta({ description: "Version of the responding service." }),
    ready: z.boolean().meta({
      description:
        "Whether the responding service runs sessions, or, if it only serves the API, whether any service does.",
    }),
    fault: z.enum(SERVICE_FAULTS).nullable().meta({
      description:
        "Why it does not. `no_runner`: it only serves the API, and no service that runs sessions was seen for 15 seconds.",
    }),
    checks: z.array(check).meta({
      description:
        "The checks of `berth doctor` that a running service can make without a probe. Only `berth doctor` examines the sandbox.",
    }),
    hosts: z.array(host).meta({ description: "The services of this database." }),
    sessions: z.strictObject({
      idle: count,
      running: count,
      rescheduling: count,
      terminated: count,
      due: z.int().meta({
        description:
          "Number of sessions that wait for a runner, without those that wait until another turn of their owner ends.",
      }),
      due_seconds: z
        .number()
        .meta({ description: "The longest time that one of them has waited, in seconds." }),
      set_aside: z.int().meta({
        description:
          "Number of sessions that are set aside, because the process that ran them crashed or froze twice in a row. They run no turn until they are released.",
      }),
    }),
    disk: z.strictObject({ size_bytes: z.int(), free_bytes: z.int() }).nullable().meta({
      description:
        "The file system of the responding service's data directory. Null: it could not be measured.",
    }),
    database_bytes: z.int().meta({ description: "Size of the database." }),
    session_disks: z
      .strictObject({ count: z.int(), bytes: z.int() })
      .meta({ description: "Disks of sessions on all hosts, as they were last measured." }),
    repository_snapshots: z.strictObject({ repositories: z.int(), count: z.int(), bytes: z.int() }).meta({
      description: "Snapshots of repositories on all hosts, with which sessions start without a clone.",
    }),
  })
  .meta({ id: "Health" });
export type Health = z.output<typeof health>;

export const healthRoutes = {
  /** Returns the health of the whole installation, whatever the organization. Only for admins. */
  get: defineRoute(operations.health.get, { response: health }),
};

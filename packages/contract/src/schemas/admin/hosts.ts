import { z } from "zod";
import { hostRole, timestamp } from "../../conventions/fields.ts";
import { pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const host = z
  .strictObject({
    id: z.string().meta({ description: "Of the installation." }),
    type: z.literal("host"),
    name: z.string().nullable().meta({ description: "Of its machine." }),
    place: z.string().meta({ description: "Where the disks are that it can use." }),
    version: z.string().nullable().meta({
      description:
        "Null, as `capacity` and `seen_at`, for one that was never seen, of which sessions have disks.",
    }),
    role: hostRole,
    running_sessions: z.int().meta({ description: "Sessions whose turn it runs." }),
    capacity: z.int().nullable().meta({ description: "Turns at once; 0 of an API alone." }),
    seen_at: timestamp
      .nullable()
      .meta({ description: "When it last looked for work, or as an API alone said that it is there." }),
    seen_seconds_ago: z.number().nullable(),
    draining: z.boolean().meta({ description: "Whether it takes no new sessions." }),
    sessions: z.int().meta({ description: "Sessions whose disk it has." }),
    deleted_sessions: z.int().meta({ description: "Deleted sessions whose disk it still has to remove." }),
    other_settings: z.array(z.string()).meta({
      description:
        "Names of settings that decide what sessions get, with another value than at the answering service.",
    }),
  })
  .meta({ id: "Host" });
export type Host = z.output<typeof host>;

const params = z.strictObject({ host_id: z.string() });

export const adminHostRoutes = {
  list: defineRoute(operations.adminHosts.list, { query: z.strictObject(pageQuery), response: pageOf(host) }),
  /** What is not saved or pushed is lost with a disk. */
  drain: defineRoute(operations.adminHosts.drain, { params, response: host }),
  resume: defineRoute(operations.adminHosts.resume, { params, response: host }),
  forget: defineRoute(operations.adminHosts.forget, {
    params,
    body: z.strictObject({
      force: z
        .boolean()
        .default(false)
        .meta({ description: "Also of a host that was seen just now; it deletes the disks." }),
    }),
    response: z
      .strictObject({
        id: z.string(),
        type: z.literal("host_forgotten"),
        sessions: z.int().meta({ description: "Sessions that continue elsewhere, without their disks." }),
      })
      .meta({ id: "ForgottenHost" }),
  }),
};
export type ForgottenHost = z.output<typeof adminHostRoutes.forget.response>;

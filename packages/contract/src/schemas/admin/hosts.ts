import { z } from "zod";
import { hostFields } from "../../conventions/host-fields.ts";
import { pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const host = z
  .strictObject({
    ...hostFields,
    type: z.literal("host"),
    place: z.string().meta({ description: "The place of the disks that it can use." }),
    running_sessions: z.int().meta({ description: "Number of sessions whose turn it runs." }),
    seen_seconds_ago: z.number().nullable(),
  })
  .meta({ id: "Host" });
export type Host = z.output<typeof host>;

const params = z.strictObject({ host_id: z.string() });

export const adminHostRoutes = {
  list: defineRoute(operations.adminHosts.list, { query: z.strictObject(pageQuery), response: pageOf(host) }),
  /** Drains a host. Work that is neither saved nor pushed is lost with the disks. */
  drain: defineRoute(operations.adminHosts.drain, { params, response: host }),
  resume: defineRoute(operations.adminHosts.resume, { params, response: host }),
  forget: defineRoute(operations.adminHosts.forget, {
    params,
    body: z.strictObject({
      force: z.boolean().default(false).meta({
        description: "Whether to forget a host that was seen recently, which then deletes the disks.",
      }),
    }),
    response: z
      .strictObject({
        id: z.string(),
        type: z.literal("host_forgotten"),
        sessions: z
          .int()
          .meta({ description: "Number of sessions that continue elsewhere, without their disks." }),
      })
      .meta({ id: "ForgottenHost" }),
  }),
};
export type ForgottenHost = z.output<typeof adminHostRoutes.forget.response>;

import { z } from "zod";
import { idOf, idOfOwner, referenceTo, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const erasure = z
  .strictObject({
    id: idOf("erasure"),
    type: z.literal("erasure"),
    subject_type: z.enum(["user", "organization"]),
    subject_id: idOfOwner,
    organization_id: idOf("organization"),
    requested_at: timestamp,
    completed_at: timestamp.nullable().meta({ description: "Null until everything is erased." }),
    deleted: z.record(z.string(), z.int()).meta({ description: "Number of erased objects of each kind." }),
    handed_over: z.array(z.string()).meta({
      description:
        "Agents and environments of a user that other owners' sessions use: they now belong to the organization, and are archived.",
    }),
    waiting_for: z.strictObject({
      sessions: z
        .array(z.strictObject({ home: z.string().nullable(), sessions: z.int() }))
        .meta({ description: "Sessions whose disk a host still has to remove." }),
      contents: z.int().meta({ description: "Contents of files and skills that still have to be removed." }),
    }),
    remains: z.array(z.string()).meta({ description: "Data that an erasure does not reach." }),
  })
  .meta({ id: "Erasure" });
export type Erasure = z.output<typeof erasure>;

const ONE_SUBJECT = "Exactly one of 'user_id' and 'organization_id' must be given.";

export const adminErasureRoutes = {
  /**
   * Responds at once: running services carry out the erasure. A second request for the same subject returns
   * the existing erasure.
   */
  create: defineRoute(operations.adminErasures.create, {
    body: z
      .strictObject({
        user_id: referenceTo("user").optional().meta({ description: "The user whose data is erased, or:" }),
        organization_id: referenceTo("organization").optional().meta({
          description: "The organization whose data is erased, with all its users and service accounts.",
        }),
      })
      .refine(({ user_id: user, organization_id: all }) => (user === undefined) !== (all === undefined), {
        path: ["user_id"],
        error: ONE_SUBJECT,
      }),
    response: erasure,
  }),
  list: defineRoute(operations.adminErasures.list, {
    query: listQuery("erasure", {
      organization_id: idOf("organization")
        .optional()
        .meta({ description: "Only erasures of this organization and its users." }),
    }),
    response: pageOf(erasure),
  }),
  get: defineRoute(operations.adminErasures.get, {
    params: z.strictObject({ erasure_id: z.string() }),
    response: erasure,
  }),
};

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
    completed_at: timestamp.nullable().meta({ description: "Null until nothing of it is left." }),
    deleted: z.record(z.string(), z.int()).meta({ description: "How much of each kind is gone." }),
    handed_over: z.array(z.string()).meta({
      description:
        "Agents and environments of a user that sessions of others use: they belong to the organization now, archived.",
    }),
    waiting_for: z.strictObject({
      sessions: z
        .array(z.strictObject({ home: z.string().nullable(), sessions: z.int() }))
        .meta({ description: "Sessions whose disk a host has still to remove." }),
      contents: z.int().meta({ description: "Contents of files and skills." }),
    }),
    remains: z.array(z.string()).meta({ description: "What an erasure does not reach." }),
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
        user_id: referenceTo("user").optional().meta({ description: "Whose data is erased, or:" }),
        organization_id: referenceTo("organization")
          .optional()
          .meta({ description: "With all its users and service accounts." }),
      })
      .refine(({ user_id: user, organization_id: all }) => (user === undefined) !== (all === undefined), {
        path: ["user_id"],
        error: ONE_SUBJECT,
      }),
    response: erasure,
  }),
  list: defineRoute(operations.adminErasures.list, {
    query: listQuery("erasure", {}),
    response: pageOf(erasure),
  }),
  get: defineRoute(operations.adminErasures.get, {
    params: z.strictObject({ erasure_id: z.string() }),
    response: erasure,
  }),
};

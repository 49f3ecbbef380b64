import { z } from "zod";
import { idOf, text, timestamp } from "../../conventions/fields.ts";
import { createdAtBounds, pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const auditEntry = z
  .strictObject({
    id: z.string().meta({ description: "Larger in later entries." }),
    type: z.literal("audit_entry"),
    created_at: timestamp,
    organization_id: idOf("organization")
      .nullable()
      .meta({ description: "Null: it is not about one organization." }),
    organization: z
      .string()
      .nullable()
      .meta({ description: "Its name now. Null when there is none any more." }),
    actor_type: z.enum(["user", "service_account", "operator", "service"]).meta({
      description:
        "`operator`: a command on the host, or a request with an operator token. `service`: Berth itself.",
    }),
    actor_id: z.string().nullable().meta({ description: "Of the user or the service account." }),
    actor: z.string().nullable().meta({
      description: "Email of a user, name of a service account or of an operator token.",
    }),
    token_id: z
      .string()
      .nullable()
      .meta({ description: "Of the token. Null: a command on the host, or Berth itself." }),
    operation: z.string().meta({
      description: "Of the API (`agents.create`), or as the command is written (`admin users disable`).",
    }),
    resources: z.array(z.string()).meta({ description: "Ids of what was changed, the outer one first." }),
    client: z.string().meta({
      description: "Address of the client; for a command on the host the name of its user.",
    }),
    user_agent: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.output<typeof auditEntry>;

export const adminAuditEntryRoutes = {
  /** Lists entries, newest first. They are ordered by number, not by id, so `page` is the only cursor. */
  list: defineRoute(operations.adminAuditEntries.list, {
    query: z.strictObject({
      ...pageQuery,
      ...createdAtBounds(),
      organization_id: idOf("organization")
        .optional()
        .meta({ description: "Changes in it, also when it is gone." }),
      user_id: idOf("user")
        .optional()
        .meta({ description: "Changes by this user, also when they are gone." }),
      operation: text(1, 256)
        .optional()
        .meta({ description: "One operation, such as `agents.create`, or all of a noun, such as `agents`." }),
      resource: text(1, 256).optional().meta({ description: "The id of an object that was changed." }),
    }),
    response: pageOf(auditEntry),
  }),
};

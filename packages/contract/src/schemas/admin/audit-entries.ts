import { z } from "zod";
import { idOf, text, timestamp } from "../../conventions/fields.ts";
import { createdAtBounds, pageOf, pageQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const auditEntry = z
  .strictObject({
    id: z.string().meta({ description: "Later entries have larger ids." }),
    type: z.literal("audit_entry"),
    created_at: timestamp,
    organization_id: idOf("organization")
      .nullable()
      .meta({ description: "Null: the entry is not about one organization." }),
    organization: z
      .string()
      .nullable()
      .meta({ description: "Its current name. Null when it no longer exists." }),
    actor_type: z.enum(["user", "service_account", "operator", "service"]).meta({
      description:
        "`operator`: a command on the host, or a request with an operator token. `service`: Berth itself.",
    }),
    actor_id: z.string().nullable().meta({ description: "Id of the user or the service account." }),
    actor: z.string().nullable().meta({
      description: "Email of the user, or name of the service account or operator token.",
    }),
    token_id: z
      .string()
      .nullable()
      .meta({ description: "Of the token. Null: a command on the host, or Berth itself." }),
    operation: z.string().meta({
      description: "Operation of the API (`agents.create`), or command (`admin users disable`).",
    }),
    resources: z.array(z.string()).meta({ description: "Ids of the changed objects, the outermost first." }),
    client: z.string().meta({
      description: "Address of the client; for a command on the host the name of its user.",
    }),
    user_agent: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.output<typeof auditEntry>;

const filters = {
  ...createdAtBounds(),
  organization_id: idOf("organization")
    .optional()
    .meta({ description: "Only changes in this organization, which may no longer exist." }),
  user_id: idOf("user")
    .optional()
    .meta({ description: "Only changes by this user, who may no longer exist." }),
  service_account_id: idOf("service_account")
    .optional()
    .meta({ description: "Only changes by this service account." }),
  operation: text(1, 256).optional().meta({
    description:
      "Only this operation, such as `agents.create`, or all operations of a noun, such as `agents`.",
  }),
  resource: text(1, 256).optional().meta({ description: "Only changes of the object with this id." }),
};

/** Formats of an exported audit log: JSON, an entry on each line, or comma-separated values. */
export const AUDIT_FORMATS = ["jsonl", "csv"] as const;

export const adminAuditEntryRoutes = {
  /** Lists entries, newest first. They are ordered by number, not by id, so `page` is the only cursor. */
  list: defineRoute(operations.adminAuditEntries.list, {
    query: z.strictObject({ ...pageQuery, ...filters }),
    response: pageOf(auditEntry),
  }),
  export: defineRoute(operations.adminAuditEntries.export, {
    query: z.strictObject({
      ...filters,
      format: z
        .enum(AUDIT_FORMATS)
        .default("jsonl")
        .meta({ description: "`jsonl`: JSON, an entry on each line." }),
    }),
    response: z.string().meta({ format: "binary" }),
  }),
};

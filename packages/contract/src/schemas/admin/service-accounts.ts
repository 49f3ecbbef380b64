import { z } from "zod";
import { idOf, referenceTo, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const serviceAccount = z
  .strictObject({
    id: idOf("service_account"),
    type: z.literal("service_account"),
    name: z.string(),
    organization_id: idOf("organization"),
    organization: z.string().meta({ description: "Name of the organization." }),
    disabled_at: timestamp
      .nullable()
      .meta({ description: "When it was disabled: its tokens are rejected since then." }),
    created_at: timestamp,
  })
  .meta({ id: "ServiceAccount" });
export type ServiceAccount = z.output<typeof serviceAccount>;

const params = z.strictObject({ service_account_id: z.string() });

export const adminServiceAccountRoutes = {
  create: defineRoute(operations.adminServiceAccounts.create, {
    body: z.strictObject({ name: text(1, 256), organization_id: referenceTo("organization") }),
    response: serviceAccount,
  }),
  list: defineRoute(operations.adminServiceAccounts.list, {
    query: listQuery("service_account", {
      organization_id: idOf("organization")
        .optional()
        .meta({ description: "Only service accounts of this organization." }),
      name: text(1, 256).optional().meta({ description: "Only service accounts with this name." }),
    }),
    response: pageOf(serviceAccount),
  }),
  disable: defineRoute(operations.adminServiceAccounts.disable, { params, response: serviceAccount }),
  enable: defineRoute(operations.adminServiceAccounts.enable, { params, response: serviceAccount }),
};

import { z } from "zod";
import { idOf, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const organization = z
  .strictObject({
    id: idOf("organization"),
    type: z.literal("organization"),
    name: z.string(),
    users: z.int().meta({ description: "Number of users." }),
    service_accounts: z.int().meta({ description: "Number of service accounts." }),
    created_at: timestamp,
  })
  .meta({ id: "Organization" });
export type Organization = z.output<typeof organization>;

const named = z.strictObject({ name: text(1, 256) });

export const adminOrganizationRoutes = {
  create: defineRoute(operations.adminOrganizations.create, { body: named, response: organization }),
  list: defineRoute(operations.adminOrganizations.list, {
    query: listQuery("organization", {
      name: text(1, 256).optional().meta({ description: "Only the organization with this name." }),
    }),
    response: pageOf(organization),
  }),
  update: defineRoute(operations.adminOrganizations.update, {
    params: z.strictObject({ organization_id: z.string() }),
    body: named,
    response: organization,
  }),
};

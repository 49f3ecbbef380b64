import { z } from "zod";
import { idOf, referenceTo, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const role = z.enum(["member", "admin"]);

const user = z
  .strictObject({
    id: idOf("user"),
    type: z.literal("user"),
    email: z.string(),
    organization_id: idOf("organization"),
    organization: z.string().meta({ description: "Name of the organization." }),
    role,
    disabled_at: timestamp
      .nullable()
      .meta({ description: "When the user was disabled: their tokens are rejected since then." }),
    created_at: timestamp,
  })
  .meta({ id: "User" });
export type User = z.output<typeof user>;

const email = text(3, 320).regex(/^[^\s@]+@[^\s@]+$/, { error: "Field '{field}' must be an email address." });
const params = z.strictObject({ user_id: z.string() });

export const adminUserRoutes = {
  create: defineRoute(operations.adminUsers.create, {
    body: z.strictObject({
      email,
      organization_id: referenceTo("organization"),
      role: role.default("member"),
    }),
    response: user,
  }),
  list: defineRoute(operations.adminUsers.list, {
    query: listQuery("user", {
      organization_id: idOf("organization")
        .optional()
        .meta({ description: "Only users of this organization." }),
      email: text(1, 320).optional().meta({ description: "Only the user with this address." }),
    }),
    response: pageOf(user),
  }),
  update: defineRoute(operations.adminUsers.update, {
    params,
    body: z.strictObject({ role }),
    response: user,
  }),
  disable: defineRoute(operations.adminUsers.disable, { params, response: user }),
  enable: defineRoute(operations.adminUsers.enable, { params, response: user }),
};

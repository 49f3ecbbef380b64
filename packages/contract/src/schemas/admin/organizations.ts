import { z } from "zod";
import { idOf, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { visibility } from "../../conventions/sharing.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const organization = z
  .strictObject({
    id: idOf("organization"),
    type: z.literal("organization"),
    name: z.string(),
    default_visibility: visibility.meta({
      description: "The `visibility` of what its members make, unless they say otherwise.",
    }),
    admin_group: z.string().nullable().meta({
      description:
        "The name of the group whose members are admins, as the identity provider sends it by SCIM. Null: groups decide about no role.",
    }),
    signing_key: z.string().nullable().meta({
      description:
        "Public key of the signatures of commits, as a line of `authorized_keys`; null if commits are not signed.",
    }),
    users: z.int().meta({ description: "Number of users." }),
    service_accounts: z.int().meta({ description: "Number of service accounts." }),
    created_at: timestamp,
  })
  .meta({ id: "Organization" });
export type Organization = z.output<typeof organization>;

const name = text(1, 256);
const adminGroup = text(1, 256).nullish().meta({
  description:
    "Users that the identity provider manages are admins if they are in its group of this name, in any case, else members. Null: groups decide about no role.",
});
/** Neither changes what was made before. */
const defaultVisibility = visibility.optional();
const commitSigning = z.boolean().optional().meta({
  description:
    "Whether git signs commits, and tags of `git tag -s`, in the organization's sessions, from the next time on that a sandbox is opened. `true` makes an Ed25519 key if there is none; `false` deletes it. Register `signing_key` at the git host, as a signing key of the account whose address the commits have.",
});

export const adminOrganizationRoutes = {
  create: defineRoute(operations.adminOrganizations.create, {
    body: z.strictObject({ name, default_visibility: defaultVisibility, admin_group: adminGroup }),
    response: organization,
  }),
  list: defineRoute(operations.adminOrganizations.list, {
    query: listQuery("organization", {
      organization_id: idOf("organization")
        .optional()
        .meta({ description: "Only the organization with this id." }),
      name: name.optional().meta({ description: "Only the organization with this name." }),
    }),
    response: pageOf(organization),
  }),
  update: defineRoute(operations.adminOrganizations.update, {
    params: z.strictObject({ organization_id: z.string() }),
    body: z.strictObject({
      name: name.optional(),
      default_visibility: defaultVisibility,
      commit_signing: commitSigning,
      admin_group: adminGroup,
    }),
    response: organization,
  }),
};

import { z } from "zod";
import { deletedObject, idOf, referenceTo, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { createdToken, SCIM_SCOPE, TOKEN_SCOPES, token, tokenRoutes } from "../tokens/tokens.ts";

const operatorToken = z
  .strictObject({
    id: idOf("operator_token"),
    type: z.literal("operator_token"),
    name: z.string(),
    last4: z.string().meta({ description: "The last four characters of the token." }),
    parent_id: idOf("operator_token").nullable().meta({
      description:
        "The operator token that created this one, with which it is revoked. Null: `berth bootstrap` created it.",
    }),
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .meta({ id: "OperatorToken" });
export type OperatorToken = z.output<typeof operatorToken>;

const createdOperatorToken = operatorToken
  .extend({
    token: z.string().meta({ description: "The token itself. It is shown only once and stored as a hash." }),
  })
  .meta({ id: "CreatedOperatorToken" });
export type CreatedOperatorToken = z.output<typeof createdOperatorToken>;

const SCIM_ALONE = "Field '{field}' can have 'scim' only alone, for a service account.";
const ONE_BEARER = "Exactly one of 'user_id' and 'service_account_id' must be given.";

const heldToken = token
  .extend({
    bearer_id: z.string().meta({ description: "Id of the user or the service account." }),
    bearer: z.string().nullable().meta({
      description: "Email of the user, or name of the service account. Null when they no longer exist.",
    }),
  })
  .meta({ id: "HeldToken" });
export type HeldToken = z.output<typeof heldToken>;

export const adminTokenRoutes = {
  create: defineRoute(operations.adminTokens.create, {
    body: z
      .strictObject({
        user_id: referenceTo("user").optional().meta({ description: "The user who owns the token, or:" }),
        service_account_id: referenceTo("service_account").optional(),
        name: text(1, 256).optional().meta({ description: "Default: who made it." }),
        scopes: z.array(z.enum(TOKEN_SCOPES)).min(1).default(["*"]).meta({
          description:
            "`scim` is for an identity provider, and must be the only scope of a service account's token.",
        }),
        expires_at: timestamp.nullish().meta({
          description:
            "Default, also for null: never, or when the admin's token expires. A later time is then rejected.",
        }),
        independent: z.boolean().default(false).meta({
          description:
            "Lets the token outlive that of the admin who creates it, which needs the scope `*`. Those of the operator always do.",
        }),
      })
      .refine(
        ({ user_id: user, service_account_id: account }) => (user === undefined) !== (account === undefined),
        {
          path: ["user_id"],
          error: ONE_BEARER,
        },
      )
      .refine(
        ({ scopes, service_account_id: account }) =>
          !scopes.includes(SCIM_SCOPE) || (scopes.length === 1 && account !== undefined),
        { path: ["scopes"], error: SCIM_ALONE },
      ),
    response: createdToken,
  }),
  list: defineRoute(operations.adminTokens.list, {
    query: listQuery("token", {
      organization_id: idOf("organization")
        .optional()
        .meta({ description: "Only tokens of this organization." }),
      user_id: idOf("user").optional().meta({ description: "Only tokens and sign-ins of this user." }),
    }),
    response: pageOf(heldToken),
  }),
  delete: defineRoute(operations.adminTokens.delete, {
    params: z.strictObject({ token_id: z.string() }),
    response: tokenRoutes.delete.response,
  }),
};

export const adminOperatorTokenRoutes = {
  create: defineRoute(operations.adminOperatorTokens.create, {
    body: z.strictObject({
      name: text(1, 256),
      expires_at: timestamp.nullish().meta({
        description:
          "Default, also for null: when the token of the request expires. A later time is rejected.",
      }),
    }),
    response: createdOperatorToken,
  }),
  list: defineRoute(operations.adminOperatorTokens.list, {
    query: listQuery("operator_token", {}),
    response: pageOf(operatorToken),
  }),
  delete: defineRoute(operations.adminOperatorTokens.delete, {
    params: z.strictObject({ operator_token_id: z.string() }),
    response: deletedObject("operator_token").extend({
      revoked_descendants: z.array(idOf("operator_token")).meta({
        description: "The tokens that were revoked with it: those created with it or with one of these.",
      }),
    }),
  }),
};

import { z } from "zod";
import { deletedObject, idOf, referenceTo, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { createdToken, SCOPES } from "../tokens/tokens.ts";

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

const ONE_BEARER = "Exactly one of 'user_id' and 'service_account_id' must be given.";

export const adminTokenRoutes = {
  create: defineRoute(operations.adminTokens.create, {
    body: z
      .strictObject({
        user_id: referenceTo("user").optional().meta({ description: "The user who owns the token, or:" }),
        service_account_id: referenceTo("service_account").optional(),
        name: text(1, 256).default("made by the operator"),
        scopes: z.array(z.enum(SCOPES)).min(1).default(["*"]),
        expires_at: timestamp.nullish().meta({ description: "Default, also for null: never." }),
      })
      .refine(
        ({ user_id: user, service_account_id: account }) => (user === undefined) !== (account === undefined),
        {
          path: ["user_id"],
          error: ONE_BEARER,
        },
      ),
    response: createdToken,
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

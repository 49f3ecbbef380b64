import { z } from "zod";
import { deletedObject, idOf, owner, text, timestamp } from "../../conventions/fields.ts";
import { listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";

const nouns = [
  "agents",
  "environments",
  "sessions",
  "files",
  "skills",
  "vaults",
  "connections",
  "webhooks",
  "memory_stores",
  "deployments",
  "forward",
  "tokens",
  "admin",
] as const;

/**
 * The scopes that a user can give. Write does not include read; `*` covers all of them; `admin:*` counts for
 * admins alone; `metrics:read` is for the metrics.
 */
export const SCOPES = [
  "*",
  ...nouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`] as const),
  "metrics:read",
] as ["*", ...(`${(typeof nouns)[number]}:${"read" | "write"}` | "metrics:read")[]];

/**
 * The scope of an identity provider, which is good for SCIM and nothing else. Only administration gives it, to a
 * service account, without any other scope.
 */
export const SCIM_SCOPE = "scim";

/** All scopes of tokens. */
export const TOKEN_SCOPES = [...SCOPES, SCIM_SCOPE] as const;

export type Scope = (typeof TOKEN_SCOPES)[number];

/** The ways to sign in to the console. */
export const SIGN_INS = ["token", "link", "oidc"] as const;
export type SignIn = (typeof SIGN_INS)[number];

export const token = z
  .strictObject({
    id: idOf("token"),
    type: z.literal("token"),
    kind: z.enum(["pat", "sat", "console"]).meta({
      description:
        "`pat`: a user's personal access token. `sat`: a service account's token. `console`: a user's sign-in to the console, whose secret only that browser has.",
    }),
    signed_in_by: z.enum(SIGN_INS).nullable().meta({
      description:
        "For the kind `console`: how the user signed in, with a token, a link or an identity provider. Else null.",
    }),
    name: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    last4: z.string().meta({ description: "The last four characters of the token." }),
    ...owner,
    parent_id: idOf("token").nullable().meta({
      description:
        "The token that created this one; for a sign-in to the console, the token that was used. Null if the operator created it, for a sign-in through an identity provider, or if it is older than this field.",
    }),
    independent: z.boolean().meta({
      description: "Whether it may expire after its parent, and stays valid when its parent is revoked.",
    }),
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Token" });
export type Token = z.output<typeof token>;

export const createdToken = token
  .extend({
    token: z.string().meta({ description: "The token itself. It is shown only once and stored as a hash." }),
  })
  .meta({ id: "CreatedToken" });

export type CreatedToken = z.output<typeof createdToken>;

const currentToken = token
  .extend({
    scopes: z.array(z.enum(SCOPES)),
    organization: z.strictObject({ id: idOf("organization"), name: z.string() }),
    user: z
      .strictObject({ id: idOf("user"), email: z.string(), role: z.enum(["member", "admin"]) })
      .nullable()
      .meta({ description: "The user who owns the token. Null for a service account's token." }),
    service_account: z
      .strictObject({ id: idOf("service_account"), name: z.string() })
      .nullable()
      .meta({ description: "The service account that owns the token. Null for a user's token." }),
    service_version: z.string().meta({ description: "The version of the service." }),
  })
  .meta({ id: "CurrentToken" });

export type CurrentToken = z.output<typeof currentToken>;

const tokenParams = z.strictObject({ token_id: z.string() });

export const tokenRoutes = {
  create: defineRoute(operations.tokens.create, {
    body: z.strictObject({
      kind: z.enum(["pat", "sat"]).default("pat"),
      name: text(1, 256),
      scopes: z.array(z.enum(SCOPES)).min(1).default(["*"]),
      expires_at: timestamp.nullish().meta({
        description:
          "Default, also for null: when the creating token expires; for a sign-in to the console, when the token that was used expires. A later time is rejected, unless `independent` is true; then the default is never.",
      }),
      independent: z.boolean().default(false).meta({
        description:
          "Lets the token outlive the token that creates it. Only for an admin whose token has the scope `*`. Its scopes are limited as usual.",
      }),
    }),
    response: createdToken,
  }),
  list: defineRoute(operations.tokens.list, {
    query: listQuery("token", {}),
    response: pageOf(token),
  }),
  current: defineRoute(operations.tokens.current, { response: currentToken }),
  delete: defineRoute(operations.tokens.delete, {
    params: tokenParams,
    response: deletedObject("token").extend({
      revoked_descendants: z.array(idOf("token")).meta({
        description:
          "The tokens that were revoked with it: those created with it or with one of these, if not independent.",
      }),
    }),
  }),
};

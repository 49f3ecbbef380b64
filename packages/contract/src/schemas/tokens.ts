import { z } from "zod";
import { deletedObject, idOf, owner, text, timestamp } from "../conventions/fields.ts";
import { listQuery, pageOf } from "../conventions/page.ts";
import { operations } from "../operations/operations.ts";
import { defineRoute } from "../operations/route.ts";

const nouns = [
  "agents",
  "environments",
  "sessions",
  "files",
  "skills",
  "vaults",
  "memory_stores",
  "forward",
  "tokens",
] as const;

/** Every scope. Write does not include read. `*` covers every operation. */
export const SCOPES = ["*", ...nouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`] as const)] as [
  "*",
  ...`${(typeof nouns)[number]}:${"read" | "write"}`[],
];

export type Scope = (typeof SCOPES)[number];

export const token = z
  .strictObject({
    id: idOf("token"),
    type: z.literal("token"),
    kind: z
      .enum(["pat", "sat"])
      .meta({ description: "`pat`: a user's personal access token. `sat`: a service account's token." }),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    last4: z.string().meta({ description: "The last four characters of the token." }),
    ...owner,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "Token" });
export type Token = z.output<typeof token>;

const createdToken = token
  .extend({
    token: z.string().meta({ description: "The token itself. It is shown only once and stored as a hash." }),
  })
  .meta({ id: "CreatedToken" });

const tokenParams = z.strictObject({ token_id: z.string() });

export const tokenRoutes = {
  create: defineRoute(operations.tokens.create, {
    body: z.strictObject({
      kind: z.enum(["pat", "sat"]).default("pat"),
      name: text(1, 256),
      scopes: z.array(z.enum(SCOPES)).min(1).default(["*"]),
      expires_at: timestamp.nullish(),
    }),
    response: createdToken,
  }),
  list: defineRoute(operations.tokens.list, {
    query: listQuery("token", {}),
    response: pageOf(token),
  }),
  delete: defineRoute(operations.tokens.delete, {
    params: tokenParams,
    response: deletedObject("token"),
  }),
};

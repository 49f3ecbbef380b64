import { z } from "zod";
import {
  idOf,
  metadata,
  metadataPatch,
  taggedUnion,
  text,
  timestamp,
  variableName,
} from "../../conventions/fields.ts";
import { flag, listQuery } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { crud, defineRoute } from "../../operations/route.ts";
import { mcpServerUrl } from "../agents/mcp.ts";
import { allowedHost } from "../environments/environments.ts";

/** Maximum credentials per vault that are not archived. */
export const MAX_VAULT_CREDENTIALS = 20;

/**
 * Maximum bytes of all values of a vault's variables together. They are limited because each response of
 * their hosts is searched for them.
 */
export const MAX_VAULT_SECRET_BYTES = 65_536;

const bearerToken = text(1, 8192)
  .regex(/^[\u0021-\u007e]+$/, {
    error: "Field '{field}' must be visible ASCII characters without spaces.",
  })
  .meta({ writeOnly: true, description: "Sent to the MCP server as a bearer token. Never returned." });

const secretValue = text(1, 32_768)
  .refine((value) => !value.includes("\0"), "Field '{field}' must not contain a NUL character.")
  .meta({
    writeOnly: true,
    description:
      "Never returned. The variables of a vault have at most 65,536 bytes of values together. A value that can be guessed, such as a short number, is not masked in an agent's output.",
  });

const networking = z.strictObject({ allowed_hosts: z.array(allowedHost).min(1).max(16) });

const VARIABLE_DESCRIPTION =
  "From the next command on, sessions have a placeholder in the variable. Berth replaces it with the value in requests to the allowed hosts over TLS: in headers, in the request target, and in text bodies of up to 256 KiB. The session's networking must allow the hosts too. If several vaults of a session have the same name, the first takes precedence; it overrides variables of the session and its environment, and variables of repositories override it.";

const newAuth = taggedUnion("type", [
  z.strictObject({
    type: z.literal("static_bearer"),
    mcp_server_url: mcpServerUrl.meta({
      description: "The token is sent to MCP servers with exactly this `url`.",
    }),
    token: bearerToken,
  }),
  z
    .strictObject({
      type: z.literal("environment_variable"),
      secret_name: variableName,
      secret_value: secretValue,
      networking,
    })
    .meta({ description: VARIABLE_DESCRIPTION }),
]);

const changedAuth = taggedUnion("type", [
  z.strictObject({
    type: z.literal("static_bearer"),
    mcp_server_url: fixed(),
    token: bearerToken.optional(),
  }),
  z.strictObject({
    type: z.literal("environment_variable"),
    secret_name: fixed(),
    secret_value: secretValue.optional(),
    networking: networking.optional(),
  }),
]);

export const vaultCredential = z
  .strictObject({
    id: idOf("vault_credential"),
    type: z.literal("vault_credential"),
    vault_id: idOf("vault"),
    display_name: z.string().nullable(),
    metadata,
    auth: z
      .discriminatedUnion("type", [
        z.strictObject({ type: z.literal("static_bearer"), mcp_server_url: z.string() }),
        z
          .strictObject({
            type: z.literal("environment_variable"),
            secret_name: z.string(),
            networking: z.strictObject({ allowed_hosts: z.array(z.string()) }),
          })
          .meta({ description: VARIABLE_DESCRIPTION }),
      ])
      .meta({ description: "The credential without its secret." }),
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "VaultCredential" });
export type VaultCredential = z.output<typeof vaultCredential>;

const within = z.strictObject({ vault_id: z.string() });
const params = z.strictObject({ vault_id: z.string(), credential_id: z.string() });

export const vaultCredentialRoutes = {
  ...crud(operations.vaultCredentials, {
    kind: "vault_credential",
    object: vaultCredential,
    params,
    within,
    create: z.strictObject({
      display_name: text(1, 255).nullish(),
      metadata: metadata.nullish(),
      auth: newAuth,
    }),
    update: z.strictObject({
      display_name: text(1, 255).nullish(),
      metadata: metadataPatch.nullish(),
      auth: changedAuth.optional(),
    }),
    list: listQuery("vault_credential", { include_archived: flag }),
  }),
  archive: defineRoute(operations.vaultCredentials.archive, { params, response: vaultCredential }),
};

/** Returns a schema for a field that cannot be changed after creation. It is not in the OpenAPI document. */
function fixed(): z.ZodType<undefined> {
  return z
    .unknown()
    .optional()
    .refine((value) => value === undefined, "Field '{field}' cannot be changed: create another credential.")
    .transform(() => undefined)
    .meta({ notServed: true }) as unknown as z.ZodType<undefined>;
}

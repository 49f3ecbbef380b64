import { z } from "zod";
import {
  deletedObject,
  idOf,
  metadata,
  metadataPatch,
  taggedUnion,
  text,
  timestamp,
  variableName,
} from "../../conventions/fields.ts";
import { flag, listQuery, pageOf } from "../../conventions/page.ts";
import { operations } from "../../operations/operations.ts";
import { defineRoute } from "../../operations/route.ts";
import { mcpServerUrl } from "../agents/mcp.ts";
import { allowedHost } from "../environments/environments.ts";

/** How many credentials that are not archived a vault holds at most. */
export const MAX_VAULT_CREDENTIALS = 20;

const bearerToken = text(1, 8192)
  .regex(/^[\u0021-\u007e]+$/, {
    error: "Field '{field}' must be visible ASCII characters without spaces, as a bearer token is.",
  })
  .meta({ writeOnly: true, description: "Sent to the server as a bearer token. Never returned." });

const secretValue = text(1, 32_768)
  .refine((value) => !value.includes("\0"), "Field '{field}' must not contain a NUL character.")
  .meta({ writeOnly: true, description: "Never returned." });

const networking = z.strictObject({ allowed_hosts: z.array(allowedHost).min(1).max(16) });

const inForce =
  "Sessions have a placeholder in the variable, from their next command on. The value takes its place on the way to the allowed hosts, over TLS alone: in headers, in the request's target, and in bodies of text of up to 256 KiB. The hosts have to be allowed by the session's networking as well. Of two vaults of a session with the same name the first holds; it holds over variables of the session and its environment, and repositories' own hold over it.";

const newAuth = taggedUnion("type", [
  z.strictObject({
    type: z.literal("static_bearer"),
    mcp_server_url: mcpServerUrl.meta({
      description: "The `url` of the MCP servers, character by character, to which the token is sent.",
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
    .meta({ description: inForce }),
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
          .meta({ description: inForce }),
      ])
      .meta({ description: "Without the secret." }),
    archived_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: "VaultCredential" });
export type VaultCredential = z.output<typeof vaultCredential>;

const vaultParams = z.strictObject({ vault_id: z.string() });
const credentialParams = z.strictObject({ vault_id: z.string(), credential_id: z.string() });

export const vaultCredentialRoutes = {
  create: defineRoute(operations.vaultCredentials.create, {
    params: vaultParams,
    body: z.strictObject({
      display_name: text(1, 255).nullish(),
      metadata: metadata.nullish(),
      auth: newAuth,
    }),
    response: vaultCredential,
  }),
  list: defineRoute(operations.vaultCredentials.list, {
    params: vaultParams,
    query: listQuery("vault_credential", { include_archived: flag }),
    response: pageOf(vaultCredential),
  }),
  get: defineRoute(operations.vaultCredentials.get, {
    params: credentialParams,
    response: vaultCredential,
  }),
  /**
   * What is left out stays as it is. A new secret replaces the old one, and is what sessions use from their next call on. What
   * the credential is for stays as it was made.
   */
  update: defineRoute(operations.vaultCredentials.update, {
    params: credentialParams,
    body: z.strictObject({
      display_name: text(1, 255).nullish(),
      metadata: metadataPatch.nullish(),
      auth: changedAuth.optional(),
    }),
    response: vaultCredential,
  }),
  delete: defineRoute(operations.vaultCredentials.delete, {
    params: credentialParams,
    response: deletedObject("vault_credential"),
  }),
  /** For good: its secret is destroyed, and there may be another for the same server or of the same name. */
  archive: defineRoute(operations.vaultCredentials.archive, {
    params: credentialParams,
    response: vaultCredential,
  }),
};

/** What is settled when a credential is made. Left out of the OpenAPI document. */
function fixed(): z.ZodType<undefined> {
  return z
    .unknown()
    .optional()
    .refine((value) => value === undefined, "Field '{field}' cannot be changed: add another credential.")
    .transform(() => undefined)
    .meta({ notServed: true }) as unknown as z.ZodType<undefined>;
}

import { newUuid } from "@berth/contract";
import { issueToken, ownerOfServiceAccount } from "../src/features/tokens/create-token.ts";
import { organizationNamed } from "../src/features/tokens/principal-store.ts";
import type { TestApp, Wire } from "./http.ts";

export interface ScimReply {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
  body: Wire;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** An identity provider of one organization. Its paths are below `/scim/v2`. */
export interface Scim {
  token: string;
  tokenId: string;
  accountId: string;
  organizationId: string;
  send(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<ScimReply>;
}

/** Returns an identity provider of the organization of this name, with a new token. */
export async function scimOf({ app, db }: Pick<TestApp, "app" | "db">, name: string): Promise<Scim> {
  const { row, secret } = await db.transaction(async (tx) => {
    const organization = await organizationNamed(tx, name);
    const owner = await ownerOfServiceAccount(tx, organization, `scim ${newUuid()}`);
    const terms = { kind: "sat", name: "scim", scopes: ["scim"], expires_at: null } as const;
    return await issueToken(tx, {
      ...owner,
      ...terms,
      scopes: ["scim"],
      parent_id: null,
      independent: false,
    });
  });
  return {
    token: secret,
    tokenId: row.id,
    accountId: row.principal_id,
    organizationId: row.organization_id,
    async send(method, path, body, headers = {}) {
      const response = await app.fastify.inject({
        method,
        url: `/scim/v2${path}`,
        headers: {
          authorization: `Bearer ${secret}`,
          ...(body !== undefined && { "content-type": "application/scim+json" }),
          ...headers,
        },
        ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const { statusCode: status, payload: text } = response;
      return { status, headers: response.headers, text, body: text === "" ? undefined : JSON.parse(text) };
    },
  };
}

import type { CurrentToken } from "@berth/sdk";
import { type ConnectionOptions, connect, serviceOf } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { plainLine } from "../../terminal/plain-text.ts";

export async function whoami(options: ConnectionOptions & OutputOptions): Promise<undefined> {
  const current = await (await connect(options)).tokens.current();
  const { url, from } = await serviceOf(options);
  await printResult(current, options, () => [...describe(current), plainLine(`at ${url} (${from})`)]);
}

/** Who it is and what the token may do, a line each. */
export function describe({ user, service_account, organization, ...token }: CurrentToken): string[] {
  const role = user === null ? "service account" : user.role;
  const who = user?.email ?? service_account?.name ?? "nobody";
  const scopes = token.scopes.includes("*") ? "every scope" : token.scopes.join(", ");
  const expiry = token.expires_at === null ? "" : `, until ${token.expires_at}`;
  return [
    plainLine(`${who}, ${role} of ${organization.name}`),
    plainLine(`token ${token.id} (${token.name}): ${scopes}${expiry}`),
  ];
}

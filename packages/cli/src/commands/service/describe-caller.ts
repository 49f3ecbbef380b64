import type { CurrentToken, Whoami } from "@berth/sdk";
import { plainLine } from "../../terminal/plain-text.ts";

type Caller = Pick<
  Whoami,
  "principal" | "role" | "organization" | "scopes" | "token_id" | "token_name" | "expires_at"
>;

/** Describes the caller and its permissions, as several lines. */
export function describeCaller({ principal, role, organization, scopes, ...token }: Caller): string[] {
  const rank = principal.type === "user" ? role : "service account";
  const may = scopes.includes("*") ? "every scope" : scopes.join(", ");
  const expiry = token.expires_at === null ? "" : `, until ${token.expires_at}`;
  return [
    plainLine(`${principal.name}, ${rank} of ${organization.name}`),
    plainLine(`token ${token.token_id} (${token.token_name}): ${may}${expiry}`),
  ];
}

/** Returns the user or service account of a token. */
export function callerOf(token: CurrentToken): Caller {
  const { user, service_account: account, id, name, ...rest } = token;
  const principal: Caller["principal"] =
    user === null
      ? { type: "service_account", id: account?.id ?? "", name: account?.name ?? "nobody" }
      : { type: "user", id: user.id, name: user.email };
  return { ...rest, principal, role: user?.role ?? "member", token_id: id, token_name: name };
}

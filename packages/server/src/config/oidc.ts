import type { Config, OidcMapping } from "./config.ts";
import { type Fields, parseObjects } from "./parse-objects.ts";
import { list } from "./parsers.ts";

/** Returns the identity provider of the settings, or null. @throws Error when a setting is missing. */
export function oidcOf(config: Config) {
  const { oidcIssuer, oidcClientId, oidcClientSecretFile, oidcScopes, oidcClaim, oidcMapping } = config;
  if (oidcIssuer === null) {
    const others = {
      BERTH_OIDC_CLIENT_ID: oidcClientId,
      BERTH_OIDC_CLIENT_SECRET_FILE: oidcClientSecretFile,
    };
    const given = Object.entries(others).find(([, value]) => value !== null);
    if (given !== undefined) throw new Error(`${given[0]} needs BERTH_OIDC_ISSUER, the identity provider.`);
    return null;
  }
  if (oidcClientId === null)
    throw new Error(
      "BERTH_OIDC_ISSUER needs BERTH_OIDC_CLIENT_ID, the client id of this service at the identity provider.",
    );
  if (oidcMapping.length === 0)
    throw new Error(
      "BERTH_OIDC_ISSUER needs BERTH_OIDC_MAPPING, which says who may sign in, and with which role.",
    );
  return {
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecretFile: oidcClientSecretFile,
    scopes: oidcScopes,
    claim: oidcClaim,
    mapping: oidcMapping,
  };
}

/**
 * Validates an https URL without credentials, query and fragment, or http for a provider on this machine.
 * Returns it as written, since issuers are compared as text.
 * @throws Error with a clause for the operator.
 */
export function issuer(text: string): string {
  const url = URL.parse(text);
  const isLocal = url !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isUrl = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
  if (isUrl && url.username === "" && url.password === "" && !/[?#\s]/.test(text)) return text;
  throw new Error("must be an https URL without credentials, query and fragment");
}

/** Parses the scopes to request, with `openid`. @throws Error with a clause for the operator. */
export function scopes(text: string): string[] {
  const asked = list(text);
  if (asked.includes("openid")) return asked;
  throw new Error("must be a list of scopes with openid, such as openid,email,profile");
}

/** Parses `[{"value": …, "organization": …, "role"?: …}]`. @throws Error with a clause for the operator. */
export function mapping(text: string): OidcMapping[] {
  return parseObjects(text, ["value", "organization", "role"], parseMapping);
}

function parseMapping({ value, organization, role = "member" }: Fields, at: string): OidcMapping {
  if (typeof value !== "string" || value === "") throw new Error(`${at}.value must be a non-empty string`);
  if (typeof organization !== "string" || organization === "")
    throw new Error(`${at}.organization must be the name of an organization`);
  if (role !== "member" && role !== "admin") throw new Error(`${at}.role must be member or admin`);
  return { value, organization, role };
}

import type { VaultCredential } from "@berth/sdk";
import { linesOf } from "../../format/lines.ts";

export type CredentialKind = VaultCredential["auth"]["type"];

export type CredentialForm = {
  kind: CredentialKind;
  name: string;
  /** The name of the environment variable. */
  variable: string;
  /** The URL of the MCP server. */
  url: string;
  /** The secret, kept in memory only. */
  secret: string;
  /** The allowed hosts, one a line. */
  hosts: string;
};

export const EMPTY_CREDENTIAL: CredentialForm = {
  kind: "environment_variable",
  name: "",
  variable: "",
  url: "",
  secret: "",
  hosts: "",
};

/** Returns the form of an existing credential. Its secret cannot be read, so it is empty. */
export function formOf({ auth, display_name }: VaultCredential): CredentialForm {
  const form = { ...EMPTY_CREDENTIAL, kind: auth.type, name: display_name ?? "" };
  return auth.type === "static_bearer"
    ? { ...form, url: auth.mcp_server_url }
    : { ...form, variable: auth.secret_name, hosts: auth.networking.allowed_hosts.join("\n") };
}

export function createBodyOf(form: CredentialForm) {
  const { kind, url, variable, secret, hosts } = form;
  const name = nameOf(form);
  const named = name === null ? {} : { display_name: name };
  if (kind === "static_bearer") {
    return { ...named, auth: { type: kind, mcp_server_url: url.trim(), token: secret.trim() } };
  }
  const networking = { allowed_hosts: linesOf(hosts) };
  return {
    ...named,
    auth: { type: kind, secret_name: variable.trim(), secret_value: secret, networking },
  };
}

/** Returns the fields that the form changes. An empty secret keeps the existing one. */
export function changeOf(credential: VaultCredential, form: CredentialForm) {
  const name = nameOf(form);
  const auth = authChangeOf(credential.auth, form);
  return {
    ...(name === credential.display_name ? {} : { display_name: name }),
    ...(auth === null ? {} : { auth }),
  };
}

function authChangeOf(auth: VaultCredential["auth"], { secret, hosts }: CredentialForm) {
  if (auth.type === "static_bearer") return secret === "" ? null : { type: auth.type, token: secret.trim() };
  const allowed_hosts = linesOf(hosts);
  const sameHosts = allowed_hosts.join("\n") === auth.networking.allowed_hosts.join("\n");
  if (secret === "" && sameHosts) return null;
  return {
    type: auth.type,
    ...(secret === "" ? {} : { secret_value: secret }),
    ...(sameHosts ? {} : { networking: { allowed_hosts } }),
  };
}

function nameOf({ name }: CredentialForm): string | null {
  return name.trim() === "" ? null : name.trim();
}

/** Returns the form field that a fault belongs to, from the parameter that the service names. */
export function placeOf(param: string): keyof CredentialForm | "" {
  const [, field = param] = /^auth\.(\w+)/.exec(param) ?? [];
  const places: Record<string, keyof CredentialForm> = {
    display_name: "name",
    mcp_server_url: "url",
    token: "secret",
    secret_name: "variable",
    secret_value: "secret",
    networking: "hosts",
  };
  return places[field] ?? "";
}

/** Returns the body as an example to copy, without the secret. */
export function withoutSecret<Body extends { auth?: object }>(body: Body): Body {
  if (body.auth === undefined) return body;
  const hidden = Object.entries(body.auth).map(([field, value]) => [
    field,
    field === "token" || field === "secret_value" ? "…" : value,
  ]);
  return { ...body, auth: Object.fromEntries(hidden) };
}

/** Returns the credential's name, or else its server or variable. */
export function titleOf({ display_name, auth }: VaultCredential): string {
  return display_name ?? (auth.type === "static_bearer" ? auth.mcp_server_url : auth.secret_name);
}

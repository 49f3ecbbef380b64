/** Fields of `auth` with the secret of a credential and with its target, by `auth.type`. */
export const CREDENTIAL_FIELDS = {
  static_bearer: { name: "token", target: "mcp_server_url" },
  environment_variable: { name: "secret_value", target: "secret_name" },
} as const;

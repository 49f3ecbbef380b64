/** What names the secret of a credential, and what says what it is for, by `auth.type`. */
export const CREDENTIAL_FIELDS = {
  static_bearer: { name: "token", target: "mcp_server_url" },
  environment_variable: { name: "secret_value", target: "secret_name" },
} as const;

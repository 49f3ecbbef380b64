/** What a `session.error` tells of. */
export const sessionErrorTypes = [
  "unknown_error",
  "model_overloaded_error",
  "model_rate_limited_error",
  "model_request_failed_error",
  "model_authentication_error",
  "model_not_found_error",
  "sandbox_error",
  "mcp_connection_failed_error",
  "mcp_authentication_failed_error",
  "repository_authentication_error",
  "repository_forbidden_error",
  "repository_not_found_error",
  "repository_checkout_error",
  "repository_clone_error",
  "outputs_error",
  "environment_error",
] as const;
export type SessionErrorType = (typeof sessionErrorTypes)[number];

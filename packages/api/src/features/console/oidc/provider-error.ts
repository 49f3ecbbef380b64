import { type ApiError, errors } from "@berth/store/errors";
import type * as client from "openid-client";

/** Returns the error that a user sees when the provider is unreachable, refuses, or responds wrongly. */
export function providerError(error: unknown, issuer: string, classes: typeof client): ApiError {
  if (error instanceof classes.AuthorizationResponseError) return errors.providerRefused(shown(error.error));
  if (error instanceof classes.WWWAuthenticateChallengeError || codeOf(error) === "invalid_client")
    return errors.providerUnavailable(issuer, "it rejects the client id or secret of this service");
  if (isUnreachable(error)) return errors.providerUnavailable(issuer, reasonOf(error));
  return errors.answerRejected(reasonOf(error));
}

/** Returns the reason in the words of the library and the system, without text that the provider sent. */
export function reasonOf(error: unknown): string {
  const { message = "unknown", cause } = error as Partial<Error>;
  const inner = cause instanceof Error ? causeOf(cause) : undefined;
  const text = [message, codeOf(error), inner].filter(Boolean).join(": ");
  return shown(text.replace(/\.$/, ""));
}

/** Returns the OAuth error code that the provider sent. */
function codeOf(error: unknown): string | undefined {
  const { error: code } = error as { error?: unknown };
  return typeof code === "string" ? code : undefined;
}

function causeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return error.message || (code ?? error.name);
}

function isUnreachable(error: unknown): boolean {
  const { name, code } = error as NodeJS.ErrnoException;
  return name === "TypeError" || name === "TimeoutError" || code === "OAUTH_TIMEOUT";
}

/** Returns one line of visible text. */
function shown(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, " ").slice(0, 300);
}

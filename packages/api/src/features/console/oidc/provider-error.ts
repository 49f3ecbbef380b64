import { type ApiError, errors } from "@berth/store/errors";
import type * as client from "openid-client";

/** The error that a user sees when a provider was not reached, refused, or gave an answer that does not hold. */
export function providerError(error: unknown, issuer: string, classes: typeof client): ApiError {
  if (error instanceof classes.AuthorizationResponseError) return errors.providerRefused(shown(error.error));
  if (error instanceof classes.WWWAuthenticateChallengeError || codeOf(error) === "invalid_client")
    return errors.providerUnavailable(issuer, "it does not accept the id and secret of this service");
  if (isUnreachable(error)) return errors.providerUnavailable(issuer, reasonOf(error));
  return errors.answerRejected(reasonOf(error));
}

/** Why, in the words of the library and of the system, without what the provider sent. */
export function reasonOf(error: unknown): string {
  const { message = "unknown", cause } = error as Partial<Error>;
  const inner = cause instanceof Error ? causeOf(cause) : undefined;
  const text = [message, codeOf(error), inner].filter(Boolean).join(": ");
  return shown(text.replace(/\.$/, ""));
}

/** What the provider says is wrong, by the names of OAuth. */
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

/** One line of visible text. */
function shown(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, " ").slice(0, 300);
}

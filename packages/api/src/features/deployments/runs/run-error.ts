import { type ErrorType, LASTING_RUN_ERRORS, RUN_ERRORS, type RunError } from "@berth/contract";
import type { ApiError } from "@berth/store/errors";

/** Returns the error of a run whose session was rejected. */
export function runErrorOf({ type, status, about, limit }: ApiError): RunError {
  if (type === "rate_limit_error" || limit !== undefined) return "session_rate_limited_error";
  if (status >= 500) return "unknown_error";
  const named = (STATES[type] ?? []).map((state) => `${about}_${state}_error`);
  return named.find(isRunError) ?? "session_creation_rejected_error";
}

/** What an object is that a session cannot have, by the type of the error, as far as runs have an error for it. */
const STATES: Partial<Record<ErrorType, readonly string[]>> = {
  conflict_error: ["archived", "not_found"],
  not_found_error: ["not_found"],
  permission_error: ["not_found"],
};

function isRunError(name: string): name is RunError {
  return (RUN_ERRORS as readonly string[]).includes(name);
}

/** Returns whether time does not heal an error, so that the next run will have it, too. */
export function isLasting(error: RunError): boolean {
  return (LASTING_RUN_ERRORS as readonly RunError[]).includes(error);
}

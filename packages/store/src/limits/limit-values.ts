import type { LimitName, LimitValues } from "./limit-names.ts";

/** Limits of the settings, for each organization and for each user or service account without its own. */
export interface DefaultLimits {
  organization: LimitValues;
  user: LimitValues;
}

/** The limit that applies and its source. Both are null when there is none. */
export interface CountedLimit {
  value: number | null;
  from: "own" | "settings" | null;
}

/**
 * Returns the owner's own limit, or else that of the settings. A rate without a burst of its own allows one
 * second's requests at once, so it does not take the burst of the settings.
 */
export function countedLimit(name: LimitName, own: LimitValues, settings: LimitValues): CountedLimit {
  if (own[name] !== undefined) return { value: own[name], from: "own" };
  if (name === "request_burst" && own.requests_per_second !== undefined) return { value: null, from: null };
  if (settings[name] !== undefined) return { value: settings[name], from: "settings" };
  return { value: null, from: null };
}

/**
 * Merges two sets of limits; `given` takes precedence. The burst of `others` is dropped when `given` has a
 * rate.
 */
export function limitsOver(given: LimitValues, others: LimitValues): LimitValues {
  const { request_burst: burst, ...rest } = others;
  return { ...(given.requests_per_second === undefined ? others : rest), ...given };
}

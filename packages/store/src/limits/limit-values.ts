import type { LimitName, LimitValues } from "./limit-names.ts";

/** Limits of the settings, for each organization and for each user or service account that has no own one. */
export interface DefaultLimits {
  organization: LimitValues;
  user: LimitValues;
}

/** A limit that counts, and where it is from; null: there is none. */
export interface CountedLimit {
  value: number | null;
  from: "own" | "settings" | null;
}

/** The owner's own limit, else that of the settings. A burst that is not given with its rate is that of a second. */
export function countedLimit(name: LimitName, own: LimitValues, settings: LimitValues): CountedLimit {
  if (own[name] !== undefined) return { value: own[name], from: "own" };
  if (name === "request_burst" && own.requests_per_second !== undefined) return { value: null, from: null };
  if (settings[name] !== undefined) return { value: settings[name], from: "settings" };
  return { value: null, from: null };
}

/** Settings over others that count where they say nothing. */
export function limitsOver(given: LimitValues, others: LimitValues): LimitValues {
  const { request_burst: burst, ...rest } = others;
  return { ...(given.requests_per_second === undefined ? others : rest), ...given };
}

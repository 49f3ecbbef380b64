import type { ProviderWords } from "./provider-words.ts";

/**
 * Returns the milliseconds that a provider asks to wait, or null. It tries in this order: `retry-after-ms`,
 * `retry-after` (seconds or a date), the body (`retryDelay`, `retry_after`, or a sentence such as "try again
 * in 6m0s"), and the reset time of an exhausted rate limit (`x-ratelimit-reset…`,
 * `anthropic-ratelimit-…-reset`). Dates are compared with the response's own `date`, since they are by the
 * provider's clock.
 */
export function retryAfter(headers: Readonly<Record<string, string>>, words: ProviderWords): number | null {
  const date = Date.parse(headers.date ?? "");
  const now = Number.isNaN(date) ? Date.now() : date;
  const given =
    milliseconds(headers["retry-after-ms"]) ??
    secondsOrDate(headers["retry-after"], now) ??
    fieldOf(words.json, 0, now) ??
    sentence(words.message) ??
    latestReset(headers, now);
  return given === null ? null : Math.max(0, Math.ceil(given));
}

function milliseconds(text: string | undefined): number | null {
  const number = Number(text?.trim() || Number.NaN);
  return Number.isFinite(number) ? number : null;
}

function secondsOrDate(text: string | undefined, now: number): number | null {
  const seconds = milliseconds(text);
  if (seconds !== null) return seconds * 1000;
  return duration(text ?? "") ?? untilDate(text ?? "", now);
}

function untilDate(text: string, now: number): number | null {
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : date - now;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration as Go prints it: `20ms`, `7.66s`, `6m0s`. */
function duration(text: string): number | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text.trim())) return null;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    sum += Number(amount) * (UNITS[unit ?? ""] ?? 0);
  return sum;
}

/** Returns milliseconds from the body's first field, at any depth, that states a delay; null if none. */
function fieldOf(value: unknown, depth: number, now: number): number | null {
  if (typeof value !== "object" || value === null || depth > 6) return null;
  for (const [key, inner] of Object.entries(value)) {
    const delay = namedDelay(key.toLowerCase(), inner, now) ?? fieldOf(inner, depth + 1, now);
    if (delay !== null) return delay;
  }
  return null;
}

function namedDelay(key: string, value: unknown, now: number): number | null {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  if (key === "retrydelay") return duration(text) ?? secondsOrDate(text, now);
  if (/^retry[_-]?after[_-]?ms$/.test(key)) return milliseconds(text);
  if (/^retry[_-]?after([_-]?seconds)?$/.test(key)) return secondsOrDate(text, now);
  return key === "x-ratelimit-reset" ? resetOf(text, now) : null;
}

function sentence(message: string): number | null {
  const found =
    /(?:try again|retry(?:ing)?|wait)\s+(?:in|after|for)?\s*(?:about |at least )?(\d+(?:\.\d+)?(?:ms|s|m|h)(?:\d+(?:\.\d+)?(?:ms|s|m))*)\b/i.exec(
      message,
    );
  if (found !== null) return duration((found[1] ?? "").toLowerCase());
  const words =
    /(?:try again|retry(?:ing)?|wait)\s+(?:in|after|for)?\s*(?:about |at least )?(\d+(?:\.\d+)?) ?(second|minute)/i.exec(
      message,
    );
  return words === null ? null : Number(words[1]) * (words[2]?.toLowerCase() === "minute" ? 60_000 : 1000);
}

/**
 * Returns the delay until all exhausted rate limits are reset; null if none is exhausted. Limits that have a
 * remainder also state a reset time, which is ignored.
 */
function latestReset(headers: Readonly<Record<string, string>>, now: number): number | null {
  const delays = Object.entries(headers).flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (!/ratelimit.*reset/.test(lower)) return [];
    const remaining = headers[lower.replace("reset", "remaining")];
    const bare = lower === "x-ratelimit-reset" && remaining === undefined;
    return bare || Number(remaining?.trim() || Number.NaN) === 0 ? [resetOf(value, now) ?? 0] : [];
  });
  return delays.length === 0 ? null : Math.max(...delays);
}

/** Parses a duration, a date, seconds from now, or a time since 1970 in seconds or milliseconds. */
function resetOf(text: string, now: number): number | null {
  const number = milliseconds(text);
  if (number === null) return duration(text) ?? untilDate(text, now);
  if (number > 1e12) return number - now;
  return number > 1e9 ? number * 1000 - now : number * 1000;
}

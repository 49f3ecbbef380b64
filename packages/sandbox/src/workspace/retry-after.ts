/**
 * Returns the milliseconds that a host asks to wait, by the `Retry-After` header that the clone script
 * printed: seconds or a date. Returns null when there is none, or when it is neither.
 */
export function retryAfterMs(output: string, now: number = Date.now()): number | null {
  const value = /^berth:retry-after ([\x20-\x7e]{1,40})$/m.exec(output)?.[1]?.trim();
  if (value === undefined) return null;
  if (/^[0-9]+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return /^[A-Z][a-z]+, /.test(value) && !Number.isNaN(date) ? Math.max(0, date - now) : null;
}

const YEAR_0 = -62_167_219_200_000;
const YEAR_9999 = 253_402_300_799_999;

/** A time of a file, which may be any, as one that timestamps of the API can be. */
export function timestampOf(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, YEAR_0), YEAR_9999)).toISOString();
}

const YEAR_0 = -62_167_219_200_000;
const YEAR_9999 = 253_402_300_799_999;

/** Returns a file's time as a timestamp of the API, limited to the years that these can have. */
export function timestampOf(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, YEAR_0), YEAR_9999)).toISOString();
}

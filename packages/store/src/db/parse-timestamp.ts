import pg from "pg";

/** The form in which a server in UTC writes a time, such as 2026-11-25 16:43:24.123456+00. */
const UTC_TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\+00$/;

const parseAny = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, "text");

/** Parses a time as pg's own parser does, several times as fast. Rows of lists contain several times each. */
export function parseTimestamp(text: string): unknown {
  if (!UTC_TIMESTAMP.test(text)) return parseAny(text);
  const milliseconds = text.slice(11, Math.min("HH:MM:SS.mmm".length + 11, text.length - "+00".length));
  return new Date(`${text.slice(0, 10)}T${milliseconds}Z`);
}

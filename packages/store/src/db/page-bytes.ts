import type { Condition } from "./assembled-statement.ts";

/** What a page of a list has at most, in bytes as the database counts them, unless its first row alone has more. */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** A row of a list whose rows may be large. */
export interface MeasuredRow {
  /** Default: too few to count. */
  bytes?: number;
}

/**
 * Selects of the rows of a page as many as fit, and one more if there is one, as `fitting` expects them. The others are not sent.
 *
 * @param bytes an expression on the page's columns: what makes a row large. @param order of the page.
 */
export function measured(page: Condition, bytes: string, order: string, most = PAGE_BYTES): Condition {
  const text = `
    select * from (
      select page.*, ${bytes} as bytes, row_number() over place as place, sum(${bytes}) over place - (${bytes}) as bytes_before
      from (${page.text}) as page window place as (order by ${order})
    ) as measured
    where place <= 2 or bytes_before <= ${most} order by ${order}`;
  return { text, values: page.values };
}

/** The first rows, up to a number and `PAGE_BYTES`. Where there are any rows, it has at least one, so that each page gets on. */
export function fitting<Row extends MeasuredRow>(
  rows: readonly Row[],
  limit: number,
  most = PAGE_BYTES,
): Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes ?? 0;
    return index > 0 && bytes > most;
  });
  return rows.slice(0, end < 0 ? limit : Math.min(limit, end));
}

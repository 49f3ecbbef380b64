import type { Condition } from "./assembled-statement.ts";

/**
 * The maximum size of a list's page, in bytes as the database counts them. A first row that is larger is
 * still returned.
 */
export const PAGE_BYTES = 4 * 1024 * 1024;

/** A row of a list whose rows may be large. */
export interface MeasuredRow {
  /** Size of the row. Default: 0, too small to count. */
  bytes?: number;
}

/**
 * Wraps a page's statement so that it returns the rows that fit, and one more if there is one, as `fitting`
 * expects. Other rows are not sent.
 * @param bytes An SQL expression on the page's columns for the size of a row.
 * @param order The page's order.
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

/**
 * Returns the first rows, up to a number and a size, by default `PAGE_BYTES`. It returns at least one if
 * there are any, so that every page makes progress.
 */
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

const COUNT = new Intl.NumberFormat("en-US");
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Formats a count as `12,345`. */
export function formatCount(value: number): string {
  return COUNT.format(value);
}

/** Formats a number as `12.3K`. */
export function formatShort(value: number): string {
  return SHORT.format(value);
}

/** Formats bytes as `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1).replace(/\.0$/, "")} ${UNITS[power]}`;
}

/** Formats dollars as `$1.27`. Amounts below a cent keep two significant digits, as in `$0.0042`. */
export function formatDollars(value: number): string {
  if (value === 0) return "$0.00";
  if (value < 0.01) return `$${value.toPrecision(2)}`;
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** Formats a share from 0 to 1, rounded down, as `99.9 %`; null as `–`. */
export function formatShare(share: number | null): string {
  return share === null ? "–" : `${(Math.floor(Math.round(share * 10_000) / 10) / 10).toFixed(1)} %`;
}

/** Formats a count with its noun: `1 file`, `2 files`. */
export function formatPlural(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

import type { ModelUsage } from "@berth/sdk";

/** Formats seconds as `under 0.1 s`, `0.4 s`, `41 s`, `3 min 05 s` or `2 h 05 min`. */
export function duration(seconds: number): string {
  if (seconds < 0.05) return "under 0.1 s";
  if (seconds < 10 && !Number.isInteger(seconds)) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 100) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 100) return `${minutes} min ${twoDigits(whole % 60)} s`;
  return `${count(Math.floor(minutes / 60))} h ${twoDigits(minutes % 60)} min`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

/** Formats a number as `12,345`. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** Formats usage as `12,345 tokens in (8,000 from cache), 1,024 out`. Tokens in include all cache tokens. */
export function tokens(usage: ModelUsage): string {
  const read = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  const cached =
    usage.cache_read_input_tokens === 0 ? "" : ` (${count(usage.cache_read_input_tokens)} from cache)`;
  return `${count(read)} tokens in${cached}, ${count(usage.output_tokens)} out`;
}

/** Formats a share from 0 to 1, rounded down, as `99.9%`. Returns `-` for null. */
export function percent(share: number | null): string {
  return share === null ? "-" : `${(Math.floor(Math.round(share * 10_000) / 10) / 10).toFixed(1)}%`;
}

/** Formats US dollars as `$1,234.50` or `under $0.01`. */
export function dollars(value: number): string {
  if (value > 0 && value < 0.005) return "under $0.01";
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** Formats bytes as `512 B`, `1.5 KiB` or `20 MiB`. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = Math.min(units.length - 1, value < 1024 ? 0 : Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** step;
  return `${scaled < 10 && step > 0 ? scaled.toFixed(1) : Math.round(scaled)} ${units[step]}`;
}

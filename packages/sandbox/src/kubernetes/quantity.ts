const UNITS: Readonly<Record<string, number>> = {
  ...{ "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};

/**
 * Parses a size as the API server writes it, which may use another unit than the request. Returns NaN when it
 * is invalid.
 */
export function bytesOf(quantity = ""): number {
  const [, count, unit = ""] = /^(\d+)(\w*)$/.exec(quantity) ?? [];
  return Number(count) * (UNITS[unit] ?? Number.NaN);
}

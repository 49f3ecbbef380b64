/** Returns the ticks of a scale, from 0 to at least the largest value. */
export function ticksFor(largest: number, most = 4): number[] {
  if (largest <= 0) return [0, 1];
  const step = niceStep(largest / most);
  const count = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Returns ticks for a scale of seconds: minutes, hours and days instead of tens. */
export function secondTicks(largest: number, most = 4): number[] {
  const units = [60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400];
  const unit = units.find((one) => largest / one <= most);
  if (largest <= 60 || unit === undefined) return ticksFor(largest, most);
  return Array.from({ length: Math.ceil(largest / unit) + 1 }, (_, index) => index * unit);
}

/** Returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is not below the value. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough - 1e-12) ?? 10;
  return factor * power;
}

/**
 * Returns the indexes of `count` positions that get a label when `room` labels fit: every nth, counted from
 * the last.
 */
export function labelled(count: number, room: number): number[] {
  if (count === 0) return [];
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => (count - 1 - index) % every === 0,
  );
}

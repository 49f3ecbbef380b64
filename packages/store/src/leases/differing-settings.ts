/**
 * Returns the sorted names of the settings whose digests differ. A setting that one of the versions lacks
 * does not count.
 */
export function differingSettings(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): string[] {
  const names = Object.keys(one).filter((name) => name in other && one[name] !== other[name]);
  return names.sort();
}

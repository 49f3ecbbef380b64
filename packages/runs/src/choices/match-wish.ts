import type { RuntimeName } from "@berth/contract";
import { compareVersions, matchVersion, newestOfLines } from "@berth/store/runtimes";
import semver from "semver";
import type { Meaning } from "./wish.ts";

/** The most versions that are named in place of one that is missing. */
const NAMED = 6;

/**
 * Returns the version of those on offer that a wish means; null when there is none. A version on offer with
 * fewer than three numbers, such as Debian's 1.24, stands for any of its line.
 */
export function matchMeaning(
  runtime: RuntimeName,
  meaning: Meaning,
  versions: readonly string[],
): string | null {
  if (meaning.type === "never") return null;
  if (meaning.type === "newest") return matchVersion("latest", versions);
  if (meaning.type === "lts") return matchVersion("lts", versions);
  const { range, except = [], prefers } = meaning;
  const fits = versions
    .filter((version) => satisfies(version, range))
    .filter((version) => !except.some((one) => isWithin(version, one)))
    .toSorted(compareVersions);
  if (prefers === "oldest") return matchVersion(lineOf(fits[0]), fits);
  const supported = runtime === "node" && !isOneLine(range) ? matchVersion("lts", fits) : null;
  return supported ?? fits.at(-1) ?? null;
}

/** Returns the versions of the lines next to what was asked for, from the oldest. */
export function nearest(
  runtime: RuntimeName,
  meaning: Meaning,
  versions: readonly string[],
): readonly string[] {
  const lines = newestOfLines(runtime, versions);
  if (lines.length <= NAMED) return lines;
  const least = meaning.type === "range" ? semver.minVersion(meaning.range)?.version : undefined;
  if (least === undefined) return lines.slice(-NAMED);
  const above = lines.findIndex((version) => compareVersions(version, least) >= 0);
  const middle = above === -1 ? lines.length : above;
  const start = Math.min(Math.max(middle - NAMED / 2, 0), lines.length - NAMED);
  return lines.slice(start, start + NAMED);
}

function satisfies(version: string, range: string): boolean {
  return isWhole(version) ? semver.satisfies(version, range) : semver.intersects(version, range);
}

function isWithin(version: string, line: string): boolean {
  return version === line || version.startsWith(`${line}.`);
}

/** Returns whether a range is within one line, such as `20` or `>=20.0.0 <21.0.0-0`. */
function isOneLine(range: string): boolean {
  const least = semver.minVersion(range);
  return least !== null && semver.subset(range, `${least.major}`);
}

function isWhole(version: string): boolean {
  return version.split(".").length === 3;
}

/** Returns the first two numbers. */
function lineOf(version: string | undefined): string {
  return version === undefined ? "none" : version.split(".", 2).join(".");
}

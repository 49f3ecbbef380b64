import { perlScript, shellScript } from "../../scripts/read-script.ts";

/** Exit codes of `launch.pl`. */
export const IN_USE = 75;
export const MOUNT_BROKEN = 123;
export const MOUNT_FAILED = 124;

const LAUNCH = perlScript("bubblewrap/launch.pl");

/** Returns perl's arguments to run these steps of `launch.pl` and then the command. */
export function launchArguments(steps: readonly string[], command: readonly string[]): string[] {
  return ["-e", LAUNCH, "--", ...steps, "--", ...command];
}

/**
 * Returns perl's arguments to run these steps, and then read further steps and the command from a descriptor;
 * see `take` in `launch.pl`.
 */
export function launcherArguments(first: readonly string[], rest: number): string[] {
  return ["-e", LAUNCH, "--", ...first, "take", String(rest)];
}

/**
 * Returns what `take` reads: the number of arguments, by which it knows that all have arrived, and the
 * arguments.
 */
export function takenArguments(steps: readonly string[], command: readonly string[]): string {
  const all = [...steps, "--", ...command];
  return [String(all.length), ...all].map((argument) => `${argument}\0`).join("");
}

/**
 * Text of a program for `sh -c` that keeps its namespaces until its standard input ends; see
 * `hold-namespaces.sh`.
 */
export const HOLD_NAMESPACES = shellScript("bubblewrap/hold-namespaces.sh");

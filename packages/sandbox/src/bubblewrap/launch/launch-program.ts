import { perlScript, shellScript } from "../../scripts/read-script.ts";

/** Exit codes of `launch.pl`. */
export const IN_USE = 75;
export const MOUNT_BROKEN = 123;
export const MOUNT_FAILED = 124;

const LAUNCH = perlScript("bubblewrap/launch.pl");

/** Arguments of perl that run these steps of `launch.pl` and then the command. */
export function launchArguments(steps: readonly string[], command: readonly string[]): string[] {
  return ["-e", LAUNCH, "--", ...steps, "--", ...command];
}

/** Arguments of perl that run these steps, and read the others and the command from a descriptor; see `take` in `launch.pl`. */
export function launcherArguments(first: readonly string[], rest: number): string[] {
  return ["-e", LAUNCH, "--", ...first, "take", String(rest)];
}

/** What `take` reads: how many arguments follow, which tells whether they are all there, and those. */
export function takenArguments(steps: readonly string[], command: readonly string[]): string {
  const all = [...steps, "--", ...command];
  return [String(all.length), ...all].map((argument) => `${argument}\0`).join("");
}

/** A program for `sh -c` that keeps its namespaces until its standard input ends; see `hold-namespaces.sh`. */
export const HOLD_NAMESPACES = shellScript("bubblewrap/hold-namespaces.sh");

import { isArchitecture, syscallNumbers } from "@berth/linux";
import { quote } from "../scripts/quote.ts";
import { shellTemplate } from "../scripts/read-script.ts";

const FUNCTIONS = shellTemplate<never>("probes/prelude.sh")({});

/** Shell variables for the probes, with the locations of the canaries. */
export type ProbeVariables = Readonly<Record<string, string>>;

/** Default paths in the sandbox; variables can override them. */
export const DEFAULT_PATHS = {
  data: "/data",
  scratch: "/tmp",
  upload: "/mnt/session/uploads/probe.txt",
  skills: "/mnt/skills/probe",
} as const;

/**
 * Returns the functions of every probe, and the variables that they and the probes read; see `prelude.sh`.
 */
export function prelude(variables: ProbeVariables): string {
  const lines = Object.entries({ ...DEFAULT_PATHS, ...variables }).map(
    ([name, value]) => `${name}=${quote(value)}\n`,
  );
  const numbers = Object.entries(syscallNumbers(isArchitecture(process.arch) ? process.arch : "x64"));
  return `${lines.join("")}export numbers=${quote(numbers.flat().join(" "))}\n${FUNCTIONS}`;
}

/** Milliseconds for one probe. Long, since a probe that starts many programs is slow on a busy machine. */
export const PROBE_TIMEOUT_MS = 60_000;

/**
 * Returns a script that runs these probes one after another and prints one line for each: its id, `held`,
 * `breach` or `untried`, and a detail. A probe reports on descriptor 9, and only its first report counts.
 */
export function probeScript(
  probes: readonly { id: string; script: string }[],
  variables: ProbeVariables,
): string {
  const each = probes.map(({ id, script }) => `probe ${id} ${quote(script)}\n`);
  return `prelude=${quote(prelude(variables))}
probe() {
  answer=$(timeout -s KILL ${PROBE_TIMEOUT_MS / 1000} sh -c "$prelude$2
printf 'held %s\\n' \\"\\$said\\" >&9" 9>&1 >/dev/null 2>&1 </dev/null)
  : "\${answer:=untried it did not end in time}"
  printf 'probe:%s %s\\n' "$1" "\${answer%%
*}"
}
${each.join("")}`;
}

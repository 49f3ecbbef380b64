import type { Command, CommandResult } from "../interface/command.ts";
import { PROBE_TIMEOUT_MS, type ProbeVariables, probeScript } from "./prelude.ts";
import type { Probe, ProbeResult } from "./probe.ts";

/** What probes need of a sandbox. */
export interface ProbeTarget {
  run(command: Command): Promise<CommandResult>;
}

/** Time of the shells beside the probes' own. */
const MARGIN_MS = 10_000;
const AT_ONCE = 3;

/**
 * Runs probes in a sandbox, those of a group one after another. Never rejects for what one does: each has a result, `untried` at
 * worst.
 * @param variables of a stage. A probe that needs one which is missing is `untried`.
 */
export async function runProbes(
  sandbox: ProbeTarget,
  probes: readonly Probe[],
  variables: ProbeVariables,
): Promise<ProbeResult[]> {
  const results = new Map<Probe, ProbeResult>();
  const waiting = Map.groupBy(probes, ({ group }) => group).values();
  const runGroups = async () => {
    for (const one of waiting) {
      const script = probeScript(one, variables);
      const timeoutMs = MARGIN_MS + one.length * PROBE_TIMEOUT_MS;
      const { output } = await sandbox.run({ script, timeoutMs });
      for (const result of readProbes(Buffer.from(output).toString(), one)) results.set(result.probe, result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runGroups));
  return probes.flatMap((probe) => results.get(probe) ?? []);
}

/** The results of these probes in what `probeScript` has printed. One without a line is `untried`. */
export function readProbes(output: string, probes: readonly Probe[]): ProbeResult[] {
  const lines = new Map(
    [...output.matchAll(/^probe:(\w+) (held|breach|untried)[ ]?(.*)$/gm)].map(
      ([, id = "", word, detail = ""]) => [id, { word, detail: detail.trim() }],
    ),
  );
  return probes.map((probe) => {
    const { word, detail } = lines.get(probe.id) ?? { word: "untried", detail: "it told nothing" };
    return { probe, state: word === "held" ? "held" : word === "breach" ? "breached" : "untried", detail };
  });
}

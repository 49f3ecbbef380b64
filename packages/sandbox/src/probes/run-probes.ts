import type { Command, CommandResult } from "../interface/command.ts";
import { PROBE_TIMEOUT_MS, type ProbeVariables, probeScript } from "./prelude.ts";
import type { Probe, ProbeResult } from "./probe.ts";

export interface ProbeTarget {
  run(command: Command): Promise<CommandResult>;
}

/** Milliseconds for the shells that run a group, in addition to its probes. */
const MARGIN_MS = 10_000;
const CONCURRENT_GROUPS = 3;

/**
 * Runs probes in a sandbox, those of a group one after another. Every probe gets a result, whatever it does.
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
  await Promise.all(Array.from({ length: CONCURRENT_GROUPS }, runGroups));
  return probes.flatMap((probe) => results.get(probe) ?? []);
}

/** Parses the output of `probeScript`. A probe without a line is `untried`. */
export function readProbes(output: string, probes: readonly Probe[]): ProbeResult[] {
  const lines = new Map(
    [...output.matchAll(/^probe:(\w+) (held|breach|untried)[ ]?(.*)$/gm)].map(
      ([, id = "", word, detail = ""]) => [id, { word, detail: detail.trim() }],
    ),
  );
  return probes.map((probe) => {
    const { word, detail } = lines.get(probe.id) ?? { word: "untried", detail: "it reported nothing" };
    return { probe, state: word === "held" ? "held" : word === "breach" ? "breached" : "untried", detail };
  });
}

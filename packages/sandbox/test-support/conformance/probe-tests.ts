import assert from "node:assert/strict";
import { ALL_PROBES } from "../../src/probes/all-probes.ts";
import { KNOWN_BREACHES } from "../../src/probes/isolation-capabilities.ts";
import type { Probe } from "../../src/probes/probe.ts";
import { probeEngine } from "../../src/probes/probe-engine.ts";
import { SAME_USER } from "../../src/probes/table-probes.ts";
import { type Context, conformanceTest, type Suite } from "./context.ts";

const ALL_GROUPS = "all";
export const TOGETHER = `probes: ${ALL_GROUPS}`;

/** Tests of known attacks, none of which may succeed. */
export function probeTests(suite: Suite): void {
  const groups = suite.probesTogether
    ? new Map([[ALL_GROUPS, ALL_PROBES]])
    : Map.groupBy(ALL_PROBES, (probe) => probe.group);
  for (const [group, probes] of groups)
    conformanceTest(suite, `probes: ${group}`, (context) => allHold(context, probes, 1));

  conformanceTest(suite, "probes: sessions whose users on the host have one number", (context) =>
    allHold(
      context,
      ALL_PROBES.filter(({ group }) => group === "sessions"),
      0,
    ),
  );
}

/**
 * Runs the probes.
 *
 * @param apart Difference between the host uids of the probed sandbox and of its neighbour.
 */
async function allHold(
  { subject, directory }: Context,
  probes: readonly Probe[],
  apart: number,
): Promise<void> {
  const { engine, system, uid } = subject;
  const uids = [uid, uid + apart] as const;
  const spec = system === undefined ? {} : { system };
  const results = await probeEngine(engine, { directory, uids, spec }, probes);
  const known = KNOWN_BREACHES[engine.name] ?? {};
  const isRoot = process.getuid?.() === 0;
  const loose = results.filter(
    ({ probe, state, detail }) =>
      state !== "held" && !(probe.id in known) && (isRoot || detail !== SAME_USER),
  );
  assert.deepEqual(
    loose.map(({ probe, state, detail }) => `${probe.id} ${state}: ${detail}`),
    [],
  );
}

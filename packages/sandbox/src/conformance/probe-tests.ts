import assert from "node:assert/strict";
import { allProbes } from "../probes/all-probes.ts";
import { openByEngine } from "../probes/open-by-engine.ts";
import { probeEngine } from "../probes/probe-engine.ts";
import { conformanceTest, type Suite } from "./context.ts";

/** What hostile code has tried elsewhere, none of which succeeds here. */
export function probeTests(suite: Suite): void {
  for (const [group, probes] of Map.groupBy(allProbes, (probe) => probe.group)) {
    conformanceTest(suite, `probes: ${group}`, async ({ subject, directory }) => {
      const open = openByEngine[subject.engine.name] ?? {};
      const { system } = subject;
      const uids = [subject.uid, subject.uid + 1] as const;
      const place = { directory, uids, spec: system === undefined ? {} : { system } };
      const results = await probeEngine(subject.engine, place, probes);
      const loose = results.filter(({ probe, state }) => state !== "held" && !(probe.id in open));
      assert.deepEqual(
        loose.map(({ probe, state, detail }) => `${probe.id} ${state}: ${detail}`),
        [],
      );
    });
  }
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { isolationCapabilities } from "./isolation-capabilities.ts";
import type { Probe, ProbeResult } from "./probe.ts";
import { readProbes } from "./run-probes.ts";

const probe = (id: string, group: Probe["group"] = "privileges"): Probe => ({
  id,
  group,
  tries: `tries ${id}`,
  script: "",
  succeedsAs: "user",
});
const one = (id: string, state: ProbeResult["state"], group?: Probe["group"]): ProbeResult => ({
  probe: probe(id, group),
  state,
  detail: "seen",
});

test("isolation capabilities: a group → the state of its worst probe, and every probe that did not hold", () => {
  const results = [one("a", "held"), one("b", "breached"), one("c", "untried"), one("d", "held", "git")];
  assert.deepEqual(isolationCapabilities("bubblewrap", results), [
    {
      name: "isolation_privileges",
      state: "no",
      detail:
        "1 of 3 probes held. A program in the sandbox tries b (b: seen). Not tested: whether a program in the sandbox tries c (c: seen).",
    },
    { name: "isolation_git", state: "yes", detail: "1 of 1 probes held." },
  ]);
  assert.equal(isolationCapabilities("bubblewrap", [one("c", "untried")])[0]?.state, "degraded");
});

test("isolation capabilities: a known breach → degraded with that engine, no with others", () => {
  const results = [one("setuid_places", "breached")];
  const states = ["docker", "bubblewrap"].map((engine) => isolationCapabilities(engine, results)[0]?.state);
  assert.deepEqual(states, ["degraded", "no"]);
});

test("read probes: output without a line for a probe → untried", () => {
  const output = "noise\nprobe:a held \nprobe:b breach it was read\nprobe:c held\n";
  const results = readProbes(
    output,
    ["a", "b", "d"].map((id) => probe(id)),
  );
  assert.deepEqual(
    results.map(({ state, detail }) => [state, detail]),
    [
      ["held", ""],
      ["breached", "it was read"],
      ["untried", "it reported nothing"],
    ],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { isolationCapabilities } from "./isolation-capabilities.ts";
import type { Probe, ProbeResult } from "./probe.ts";
import { readProbes } from "./run-probes.ts";

const probe = (id: string, group: Probe["group"] = "privileges"): Probe => ({
  id,
  group,
  tries: `tries ${id}`,
  how: "",
  opens: "user",
});
const one = (id: string, state: ProbeResult["state"], group?: Probe["group"]): ProbeResult => ({
  probe: probe(id, group),
  state,
  detail: "seen",
});

test("a group is as good as its worst probe, and each that did not hold is told", () => {
  const results = [one("a", "held"), one("b", "breached"), one("c", "untried"), one("d", "held", "git")];
  assert.deepEqual(isolationCapabilities("bubblewrap", results), [
    {
      name: "isolation_privileges",
      state: "no",
      detail:
        "1 of 3 probes held. A program inside tries b (b: seen). Not tried was whether a program inside tries c (c: seen).",
    },
    { name: "isolation_git", state: "yes", detail: "1 of 1 probes held." },
  ]);
  assert.equal(isolationCapabilities("bubblewrap", [one("c", "untried")])[0]?.state, "degraded");
});

test("what is known of an engine is weak with that one alone", () => {
  const results = [one("setuid_places", "breached")];
  const states = ["docker", "bubblewrap"].map((engine) => isolationCapabilities(engine, results)[0]?.state);
  assert.deepEqual(states, ["degraded", "no"]);
});

test("a probe without a line of its own is untried, and what a line says of another counts for that", () => {
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
      ["untried", "it told nothing"],
    ],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { withEvictionNotes } from "./note-eviction.ts";

const SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict";
const KEPT = "karpenter.sh/do-not-disrupt";

function notesOf(owner: string, annotations?: Record<string, string>) {
  const metadata = { name: "one", labels: { "berth.owner": owner }, ...(annotations && { annotations }) };
  return withEvictionNotes({ metadata }).metadata?.annotations;
}

test("withEvictionNotes: autoscalers leave a session's pod alone, and may evict one that nobody has; the operator's patch wins", () => {
  assert.deepEqual(notesOf("host.1.2.3", { team: "a" }), { team: "a", [SAFE]: "false", [KEPT]: "true" });
  assert.deepEqual(notesOf("pool"), { [SAFE]: "true", [KEPT]: "false" });
  for (const owner of ["host.1.2.3", "pool"])
    assert.deepEqual(notesOf(owner, { [KEPT]: "30m" }), {
      [SAFE]: owner === "pool" ? "true" : "false",
      [KEPT]: "30m",
    });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { mergePatch } from "./merge-patch.ts";

test("mergePatch: fields are merged, null removes, lists with keys are merged by these and others replaced", () => {
  const pod = {
    metadata: { name: "one", labels: { a: "1" } },
    spec: {
      hostname: "session",
      tolerations: [{ key: "old" }],
      containers: [
        { name: "sandbox", image: "x", env: [{ name: "A", value: "1" }] },
        { name: "berth", image: "y" },
      ],
    },
  };
  const patch = {
    metadata: { annotations: { team: "b" } },
    spec: {
      hostname: null,
      imagePullSecrets: [{ name: "registry" }],
      tolerations: [{ key: "new" }],
      containers: [
        { name: "sandbox", env: [{ name: "B", value: "2" }] },
        { name: "berth", $patch: "delete" },
        { name: "more", image: "z" },
      ],
    },
  };
  assert.deepEqual(mergePatch(pod, patch), {
    metadata: { name: "one", labels: { a: "1" }, annotations: { team: "b" } },
    spec: {
      imagePullSecrets: [{ name: "registry" }],
      tolerations: [{ key: "new" }],
      containers: [
        {
          name: "sandbox",
          image: "x",
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
        },
        { name: "more", image: "z" },
      ],
    },
  });
  assert.equal(pod.spec.hostname, "session");
});

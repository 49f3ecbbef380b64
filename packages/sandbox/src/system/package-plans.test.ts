import assert from "node:assert/strict";
import { test } from "node:test";
import { packagePlans } from "./package-plans.ts";

test("packagePlans: the operator's registry and index → installed from there, and only their hosts are reached", async () => {
  const packages = { apt: [], npm: ["semver"], pip: ["requests"] };
  const sources = { npmRegistry: "https://npm.internal:8443/all/", pipIndex: "https://pip.internal/simple" };
  const [npm, pip] = await packagePlans(packages, "/nonexistent", sources);
  assert.match(npm?.script ?? "", /--registry='?https:\/\/npm\.internal:8443\/all\//);
  assert.deepEqual(npm?.egress, { mode: "limited", hosts: ["npm.internal:8443"] });
  assert.match(pip?.script ?? "", /--index-url='?https:\/\/pip\.internal\/simple/);
  assert.deepEqual(pip?.egress, { mode: "limited", hosts: ["pip.internal"] });
});

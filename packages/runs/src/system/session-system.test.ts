import assert from "node:assert/strict";
import { test } from "node:test";
import type { LayerCache } from "@berth/sandbox";
import { testDatabase } from "@berth/store/test-support/database";
import { seed, seedSession } from "@berth/store/test-support/runs";
import { readInputs } from "../inputs/session-inputs-store.ts";
import { type SystemDeps, sessionSystem } from "./session-system.ts";

test("sessionSystem: an environment with packages and a script → one progress phase each, in the order of the layers", async (t) => {
  const db = await testDatabase(t);
  const from = await seed(db.write);
  const sessionId = await seedSession(db.write, from);
  const begun: string[] = [];
  const layers: Pick<LayerCache, "prepare"> = {
    async prepare({ plans, onLayer }) {
      for (const plan of plans) onLayer?.(plan);
      return { paths: [], failed: null, release() {} };
    },
  };
  const rootFilesystem = { settled: async () => "/nowhere", state: () => ({ kind: "building" as const }) };
  const parts = {
    rootFilesystem,
    layers,
    sources: { npmRegistry: null, pipIndex: null },
  } as unknown as SystemDeps;
  const ask = async (contents: object) => {
    await db.write.query({
      text: "update environments set config = $1 where id = $2",
      values: [{ type: "cloud", networking: { type: "unrestricted" }, ...contents }, from.environmentId],
    });
    const { session } = await readInputs(db.read, sessionId);
    await sessionSystem(parts, {
      session,
      disk: { path: "/nowhere", hostDir: "/nowhere", uid: 70_000 },
      signal: new AbortController().signal,
      onEgressDenied() {},
      progress: { start: (phase) => begun.push(phase) },
    });
  };
  await ask({ packages: { apt: [], npm: [], pip: [] }, setup_script: null });
  assert.deepEqual(begun, []);
  await ask({ packages: { apt: ["jq"], npm: ["semver"], pip: ["six"] }, setup_script: "true" });
  assert.deepEqual(begun, ["system", "apt_packages", "npm_packages", "pip_packages", "setup_script"]);
});

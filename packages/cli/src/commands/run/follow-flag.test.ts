import assert from "node:assert/strict";
import { test } from "node:test";
import { berth } from "../../../test-support/berth.ts";
import { startService } from "../../../test-support/service.ts";
import { turn } from "../../../test-support/session.ts";

test("run --follow: the session follows its pull request, and is not archived", async (t) => {
  const service = await startService(t, turn());
  const env = { BERTH_TOKEN: "berth_pat_good", BERTH_URL: service.url };
  const { code, stderr } = await berth(["run", "Fix it.", "--agent", "agent_1", "--follow"], { env });
  assert.equal(code, 0, stderr);
  const created = service.calls.find(({ name }) => name === "POST /sessions");
  assert.ok(created !== undefined);
  assert.deepEqual((created.body as { follow: object }).follow, { pull_request: true });
  assert.ok(!service.calls.some(({ name }) => name.endsWith("/archive")));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatId, newUuid } from "@berth/contract";
import { repositoryDiff } from "./session-changes.ts";
import type { WorkspaceReads } from "./workspace-reads.ts";

test("a diff that git does not finish in time → 409 that says what to do, and other failures as they were", async () => {
  const session = newUuid();
  const resource = formatId("session_resource", newUuid());
  for (const [reason, status, message] of [
    ["slow", 409, /did not compare .* within 20 seconds, .*Ask for the diff of one file/],
    ["incomparable", 409, /cannot be compared/],
    ["full", 409, /too many processes/],
    ["gone", 500, /could not be read/],
  ] as const) {
    const reads = { ask: async () => ({ answer: { ok: false, reason }, content: null }) };
    for (const path of [null, "sparse.img"])
      await assert.rejects(repositoryDiff(reads as unknown as WorkspaceReads, session, resource, path), {
        status,
        message,
      });
  }
});

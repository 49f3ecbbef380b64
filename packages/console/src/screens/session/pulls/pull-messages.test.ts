import assert from "node:assert/strict";
import { test } from "node:test";
import type { PullRequest } from "@berth/sdk";
import { checksMessage, reviewsMessage } from "./pull-messages.ts";

const PLACE = { mount_path: "/data/a" };
const PULL: PullRequest = {
  ...{ type: "pull_request", number: 7, url: "https://git.example.com/a/b/pull/7", title: "Fix" },
  ...{ state: "open", head: "agent/fix", base: "main", mergeable: true },
  checks: {
    ...{ state: "failing", total: 30, pending_count: 0, failed_count: 22 },
    failed: [
      { name: "test", url: "https://git.example.com/a/b/runs/1" },
      { name: 'say "hi"', url: null },
    ],
  },
  reviews: { state: "none", reviews: [] },
  updated_at: "2026-11-30T12:00:00.000Z",
};

test("the message about checks names those that failed, with quoted names", () => {
  const message = checksMessage(PLACE, PULL);
  assert.match(message, /^Make the failing checks of pull request 7 pass: https:\S+\/pull\/7\n\n/);
  assert.match(
    message,
    /\n- "test": https:\/\/git\.example\.com\/a\/b\/runs\/1\n- "say \\"hi\\""\n- and 20 more\n\n/,
  );
  assert.match(message, /in \/data\/a\. .* push to the branch "agent\/fix"/);
});

test("the message about reviews names the pull request, the place and the branch", () => {
  assert.match(
    reviewsMessage(PLACE, PULL),
    /^Answer the reviews of pull request 7: https:\S+\/pull\/7\n\n.* in \/data\/a, commit, and push to the branch "agent\/fix"/,
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { pullRequestIn, pullRequestMessage } from "./pull-request.ts";

test("the message names the repository, its branch, and further wishes", () => {
  const message = pullRequestMessage(
    { mount_path: "/data/widget", branch: "agent/tap" },
    " Mention issue 7. ",
  );
  assert.match(
    message,
    /^Open a pull request with your commits in \/data\/widget\.\n\nThe branch "agent\/tap" is checked out\./,
  );
  assert.match(message, /\n\nMention issue 7\.$/);
  assert.match(
    pullRequestMessage({ mount_path: "/data/w", branch: null }),
    /\n\nNo branch is checked out\. .* say why\.$/s,
  );
});

test("the last address of a pull request is found, in each host's form, and only of the repository", () => {
  for (const [url, address] of [
    ["https://github.com/acme/a.git", "https://github.com/acme/a/pull/12"],
    ["https://codeberg.org/acme/a", "https://codeberg.org/acme/a/pulls/3"],
    ["https://gitlab.com/g/sub/a/", "https://gitlab.com/g/sub/a/-/merge_requests/4"],
    ["https://bitbucket.org/acme/a", "https://bitbucket.org/acme/a/pull-requests/5"],
    ["https://git.example:8443/Acme/a.b", "https://git.example:8443/acme/a.b/pull/1"],
  ] as const) {
    const older = address.replace(/[0-9]+$/, "99");
    assert.equal(pullRequestIn(`Not ${older}, but (${address}).\nDone.`, url), address);
  }
  for (const text of [
    "https://github.com/acme/ab/pull/1",
    "https://github.com/acme/a/pulls",
    "https://evil.example/github.com/acme/a/pull/1",
    "https://github_com/acme/a/pull/1",
    "",
  ])
    assert.equal(pullRequestIn(text, "https://github.com/acme/a"), null, text);
});

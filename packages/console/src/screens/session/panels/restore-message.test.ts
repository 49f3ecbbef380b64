import assert from "node:assert/strict";
import { test } from "node:test";
import { restoreMessage } from "./restore-message.ts";

const REPOSITORY = { mount_path: "/data/a", base_commit: "12ab" };
const REST =
  " Change no other file, and rewrite no commit: if the change is committed, commit the restored file.";

test("the message names the file and the commit, and says what to do by what happened to the file", () => {
  for (const [file, wanted] of [
    [
      { path: "b.js", old_path: null, status: "modified" },
      "Restore the file /data/a/b.js.\n\nMake it what it is in the commit 12ab, which was cloned.",
    ],
    [
      { path: "b.js", old_path: null, status: "added" },
      "Restore the file /data/a/b.js.\n\nThe commit 12ab, which was cloned, does not have it: delete it.",
    ],
    [
      { path: "c.js", old_path: "b\nx.js", status: "renamed" },
      'Restore the file /data/a/c.js.\n\nIt was renamed: make "/data/a/b\\nx.js" what it is in the commit 12ab, which was cloned, and delete the new file.',
    ],
  ] as const)
    assert.equal(restoreMessage(REPOSITORY, file), wanted + REST);
  const first = restoreMessage(
    { ...REPOSITORY, base_commit: null },
    { path: "a", old_path: null, status: "added" },
  );
  assert.match(first, /The repository that was cloned does not have it: delete it\./);
});

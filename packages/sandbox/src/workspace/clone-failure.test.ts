import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneFailure } from "./clone-failure.ts";
import { CLONE_EXIT } from "./clone-script.ts";
import type { RepositoryMount } from "./repository/repository.ts";

const url = "https://git.example/acme/tls-redirect";
const mount: RepositoryMount = { url, mountPath: "/data/redirect-SSL", checkout: null };
const begin = "Cloning into '/data/redirect-SSL'...\n";
const unable = (why: string): string => `${begin}fatal: unable to access '${url}/': ${why}\n`;

/** Output of git 2.39, the error type, and a part of the cause. */
const SAMPLES: readonly [string, string, RegExp][] = [
  [`${begin}fatal: Authentication failed for '${url}/'\n`, "repository_authentication_error", /401/],
  [
    `${begin}fatal: could not read Username for 'https://git.example': terminal prompts disabled\n`,
    "repository_authentication_error",
    /401/,
  ],
  [unable("The requested URL returned error: 403"), "repository_forbidden_error", /403/],
  [
    `${begin}remote: Repository not found.\nfatal: repository '${url}/' not found\n`,
    "repository_not_found_error",
    /404/,
  ],
  [unable("Could not resolve host: git.example"), "repository_clone_error", /cannot be reached/],
  [
    unable("Failed to connect to git.example port 443 after 2 ms: Couldn't connect to server"),
    "repository_clone_error",
    /connection to its host failed/,
  ],
  [
    unable("server certificate verification failed. CAfile: none CRLfile: none"),
    "repository_clone_error",
    /TLS/,
  ],
  [unable("The requested URL returned error: 302"), "repository_clone_error", /redirects/],
  [unable("The requested URL returned error: 500"), "repository_clone_error", /returned error: 500/],
  [
    `${begin}Receiving objects:  12% (1/8)\rerror: RPC failed; curl 18 transfer closed with outstanding read data remaining\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output\n`,
    "repository_clone_error",
    /connection to its host failed/,
  ],
  [
    `${begin}fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output\n`,
    "repository_clone_error",
    /disk is full/,
  ],
  [
    `${begin}error: unable to write file 'big'\nfatal: unable to checkout working tree\nwarning: Clone succeeded, but checkout failed.\n`,
    "repository_clone_error",
    /disk is full/,
  ],
  [`${begin}fatal: bad object 1234\n`, "repository_clone_error", /fatal: bad object 1234\.$/],
  [begin, "repository_clone_error", /without a word/],
  ["", "repository_clone_error", /without a word/],
];
for (const [output, type, cause] of SAMPLES) {
  test(`clone failure: ${output.trim().split("\n").at(-1)} → ${type}`, () => {
    const failure = cloneFailure(mount, 1, output);
    assert.equal(failure.type, type);
    assert.ok(failure.message.startsWith(`${url} could not be cloned to /data/redirect-SSL: `));
    assert.match(failure.message.slice(failure.message.indexOf(": ") + 1), cause);
  });
}

test("clone failure: git or the script reports a missing branch → the message names it", () => {
  const branch: RepositoryMount = { ...mount, checkout: { type: "branch", name: "SSL/404" } };
  const output = `${begin}warning: Could not find remote branch SSL/404 to clone.\nfatal: Remote branch SSL/404 not found in upstream origin\n`;
  for (const failure of [
    cloneFailure(branch, 1, output),
    cloneFailure(branch, CLONE_EXIT.branchMissing, ""),
  ]) {
    assert.equal(failure.type, "repository_checkout_error");
    assert.match(failure.message, /: it has no branch 'SSL\/404'\.$/);
  }
});

test("clone failure: exit codes of the script → their causes", () => {
  const commit: RepositoryMount = { ...mount, checkout: { type: "commit", sha: "12ab" } };
  assert.match(cloneFailure(commit, CLONE_EXIT.commitMissing, "").message, /it has no commit 12ab/);
  assert.equal(cloneFailure(commit, CLONE_EXIT.commitMissing, "").type, "repository_checkout_error");
  assert.match(cloneFailure(mount, CLONE_EXIT.occupied, "").message, /something else is at that path/);
  assert.match(cloneFailure(mount, CLONE_EXIT.unwritable, "").message, /no directory can be made/);
});

test("clone failure: the host sends text → it is neither in the message nor decides the type", () => {
  for (const output of [
    "remote: bad token ghp_secret, returned error: 403\nfatal: bad object 12\n",
    "fatal: remote error: your token is ghp_secret\nfatal: ghp_secret returned error: 403\n",
    "fatal: invalid server response; got 'ghp_secret'\n",
    "fatal: protocol error: expected sha/ref, got 'ghp_secret Authentication failed'\n",
  ]) {
    const { type, message } = cloneFailure(mount, 1, output);
    assert.equal(type, "repository_clone_error");
    assert.ok(!message.includes("ghp_secret"), message);
  }
});

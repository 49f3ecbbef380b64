import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneFailure } from "./clone-failure.ts";
import { retryAfterMs } from "./clone-repository.ts";
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
  [
    unable("The requested URL returned error: 500"),
    "repository_clone_error",
    /temporarily unable to serve it \(500\)/,
  ],
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
  [begin, "repository_clone_error", /without a message/],
  ["", "repository_clone_error", /without a message/],
];
for (const [output, type, cause] of SAMPLES) {
  test(`clone failure: ${output.trim().split("\n").at(-1)} → ${type}`, () => {
    const failure = cloneFailure(mount, 1, output);
    assert.equal(failure.type, type);
    assert.ok(failure.message.startsWith(`${url} could not be cloned to /data/redirect-SSL: `));
    assert.match(failure.message.slice(failure.message.indexOf(": ") + 1), cause);
  });
}

/**
 * Ends of git's output for transient faults, in the words of git 2.39 to 2.51 with curl on OpenSSL, GnuTLS
 * and nghttp2.
 */
const PASSING: readonly string[] = [
  ...[408, 425, 429, 500, 502, 503, 504, 520, 522, 599].map((status) =>
    unable(`The requested URL returned error: ${status}`),
  ),
  "error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502\nfatal: the remote end hung up unexpectedly\n",
  "error: RPC failed; HTTP 429 curl 22 The requested URL returned error: 429\nfatal: expected 'packfile'\n",
  unable("Failed to connect to git.example port 443 after 2 ms: Couldn't connect to server"),
  unable("Failed to connect to git.example port 443: Connection refused"),
  unable("Failed to connect to git.example port 443: No route to host"),
  unable("Failed to connect to git.example port 443: Network is unreachable"),
  unable("Failed to connect to git.example port 443: Connection timed out"),
  unable("Connection timed out after 300001 milliseconds"),
  unable("Resolving timed out after 5000 milliseconds"),
  unable("SSL connection timeout"),
  unable("Recv failure: Connection reset by peer"),
  unable("Send failure: Broken pipe"),
  unable("Empty reply from server"),
  unable("OpenSSL SSL_connect: Connection reset by peer in connection to git.example:443"),
  unable("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to git.example:443"),
  unable(
    "TLS connect error: error:00000000:lib(0)::reason(0)\nerror: Recv failure: Connection reset by peer",
  ),
  unable("OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0"),
  unable("gnutls_handshake() failed: The TLS connection was non-properly terminated."),
  unable("GnuTLS recv error (-110): The TLS connection was non-properly terminated."),
  unable("GnuTLS recv error (-54): Error in the pull function."),
  unable("Operation too slow. Less than 20 bytes/sec transferred the last 300 seconds"),
  unable("Operation timed out after 300000 milliseconds with 0 bytes received"),
  unable("Could not resolve host: git.example (Timeout while contacting DNS servers)"),
  "error: RPC failed; curl 18 transfer closed with outstanding read data remaining\nfatal: early EOF\n",
  "error: RPC failed; curl 56 GnuTLS recv error (-9): Error decoding the received TLS packet.\nfatal: early EOF\n",
  "error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)\nfatal: early EOF\n",
  "error: RPC failed; curl 16 Error in the HTTP2 framing layer\nfatal: expected flush after ref listing\n",
  "error: RPC failed; curl 28 Operation too slow. Less than 20 bytes/sec\nfatal: early EOF\n",
  "fatal: the remote end hung up unexpectedly\n",
  "error: 5512 bytes of body are still expected\nfetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output\n",
];
for (const output of PASSING) {
  const last = output.trim().split("\n").at(-1);
  test(`clone failure: ${last} → passes`, () => {
    const { type, transient, message } = cloneFailure(mount, 1, output);
    assert.deepEqual([type, transient], ["repository_clone_error", true], message);
  });
}

const LASTING: readonly string[] = [
  ...[301, 400, 401, 403, 404, 410].map((status) => unable(`The requested URL returned error: ${status}`)),
  `${begin}fatal: Authentication failed for '${url}/'\n`,
  unable("Could not resolve host: git.example"),
  unable("SSL certificate problem: unable to get local issuer certificate"),
  unable("SSL: no alternative certificate subject name matches target host name 'git.example'"),
  unable("server certificate verification failed. CAfile: none CRLfile: none"),
  "fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output\n",
  "error: index-pack died of signal 9\nfatal: fetch-pack: invalid index-pack output\n",
  "fatal: remote error: the repository is disabled; try 503 later\n",
  `${begin}remote: returned error: 503\nfatal: repository '${url}/' not found\n`,
  "fatal: https://git.example/info/refs not valid: is this a git repository?\n",
  begin,
];
for (const output of LASTING) {
  const last = output.trim().split("\n").at(-1);
  test(`clone failure: ${last} → does not pass by itself`, () => {
    assert.equal(cloneFailure(mount, 1, output).transient, false);
  });
}

test("Retry-After: seconds, and a date → milliseconds from now; anything else → null", () => {
  const now = Date.parse("2026-01-02T03:04:05Z");
  const of = (value: string) => retryAfterMs(`fatal: x\nberth:retry-after ${value}\n`, now);
  assert.equal(of("7"), 7_000);
  assert.equal(of("Fri, 02 Jan 2026 03:04:15 GMT"), 10_000);
  assert.equal(of("Fri, 02 Jan 2026 03:04:00 GMT"), 0);
  assert.equal(of("Friday, 02-Jan-26 03:04:15 GMT"), 10_000);
  assert.equal(of("99999999999"), 99_999_999_999_000);
  assert.equal(of("Fri, 31 Dec 9999 23:59:59 GMT"), Date.UTC(9999, 11, 31, 23, 59, 59) - now);
  const others = [
    "-1",
    "soon",
    "1e9",
    "7.5",
    "7, 8",
    "0x10",
    "Xxx, no date",
    "Fri, 99 Jan 2026 03:04:05 GMT",
  ];
  for (const other of others) assert.equal(of(other), null, other);
  assert.equal(retryAfterMs("fatal: x\n"), null);
});

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

test("clone failure: the host sends text → it does not decide the type, and is told without the secret", () => {
  for (const output of [
    "remote: bad token ghp_secret, returned error: 403\nfatal: bad object 12\n",
    "fatal: remote error: your token is ghp_secret\nfatal: ghp_secret returned error: 403\n",
    "fatal: invalid server response; got 'ghp_secret'\n",
    "fatal: protocol error: expected sha/ref, got 'ghp_secret Authentication failed'\n",
  ]) {
    const { type, message } = cloneFailure(mount, 1, output, ["ghp_secret"]);
    assert.equal(type, "repository_clone_error");
    assert.ok(!message.includes("ghp_secret"), message);
  }
});

test("clone failure: what the host says is one line, without progress, secrets and escapes, and bounded", () => {
  const said = (output: string, secrets: string[] = []) => {
    const { message } = cloneFailure(mount, 1, `${output}fatal: bad object 12\n`, secrets);
    return /^[^\n]*: fatal: bad object 12\.(?: Its host says: "(.*)")?$/.exec(message)?.[1] ?? null;
  };
  assert.equal(said("remote: Enumerating objects: 5, done.\rremote: Total 5 (delta 0)        \n"), null);
  assert.equal(said("remote: \nremote:    \n"), null);
  assert.equal(
    said('remote: Moved \x1b[31mto\x1b[K \u202e"x".\nremote: Moved.\nremote: Moved.\n'),
    "Moved to 'x'. Moved.",
  );
  assert.equal(said("remote: a p%26ss, p&ss\n", ["p&ss"]), "a [redacted], [redacted]");
  const long = said(`remote: ${"x".repeat(295)}p&ssword\n`, ["p&ssword"]) ?? "";
  assert.ok(long.length <= 301 && !long.includes("p&ss"), long);
});

// Subject: `cloneRepository` with hosts and disks that fail during the clone.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { request as ask, createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeCertificates } from "../../../../tests/git-host/certificates.ts";
import { makeWorkbench, sh, type Workbench } from "../../test-support/workspace.ts";
import type { Sandbox } from "../interface/sandbox.ts";

const TRIALS = 5;

let dir: string;
let bench: Workbench;
let sandbox: Sandbox;
/** A reverse proxy of the git host that fails as each test sets. */
let front: Server;
let fail: (request: IncomingMessage, response: ServerResponse) => void;
let url: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "front-"));
  const { caFile, key, certificate } = await makeCertificates(dir, ["front.localhost"]);
  front = createServer({ key, cert: certificate }, (request, response) => fail(request, response));
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const { port } = front.address() as AddressInfo;
  url = `https://front.localhost:${port}/acme/widget`;
  bench = await makeWorkbench({ caFiles: [caFile], reachable: [`front.localhost:${port}`] });
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`${index}.txt`, randomBytes(8_000).toString("base64")]),
  );
  await bench.host.createRepository({ org: "acme", name: "widget", private: true, files });
  sandbox = await bench.open();
});
after(async () => {
  await bench.close();
  front.close();
  front.closeAllConnections();
  await rm(dir, { recursive: true, force: true });
});

/** Forwards the host's response. A pack is cut after `bytes`, and `then` ends it. */
function forward(
  bytes: number,
  then: (response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const { method, url: path = "/", headers } = request;
    const { port } = bench.host;
    const options = { host: "127.0.0.1", port, path, method, headers, rejectUnauthorized: false };
    const up = ask(options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      const isPack = answer.headers["content-type"] === "application/x-git-upload-pack-result";
      let left = isPack ? bytes : Number.POSITIVE_INFINITY;
      answer.on("data", (chunk: Buffer) => {
        if (left <= 0) return;
        response.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) then(response);
      });
      answer.once("end", () => left > 0 && response.end());
    });
    up.on("error", () => response.destroy());
    request.pipe(up);
  };
}

const faults: readonly [string, RegExp, (trial: number) => typeof fail][] = [
  ["that never responds", /sent almost no data/, () => () => {}],
  [
    "that stops in the middle of a pack",
    /sent almost no data/,
    (trial) => forward(50_000 * (trial + 1), () => {}),
  ],
  [
    "that sends a byte a second",
    /sent almost no data/,
    () => (_request, response) => {
      response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
      const drip = setInterval(() => response.write("0"), 1000);
      response.once("close", () => clearInterval(drip));
    },
  ],
  [
    "that cuts a pack",
    /connection to its host failed/,
    (trial) => forward(1 + 60_000 * trial, (response) => response.destroy()),
  ],
  [
    "that ends a pack early",
    /connection to its host failed|responded with an error/,
    (trial) => forward(1 + 60_000 * trial, (response) => response.end()),
  ],
  [
    "that sends noise instead of a pack",
    /connection to its host failed|responded with an error/,
    (trial) => forward(10 + 40_000 * trial, (response) => response.end(randomBytes(100_000))),
  ],
];
for (const [what, cause, fault] of faults) {
  test(`clone: a host ${what} → repository_clone_error in time, and nothing is left`, async () => {
    // On a busy machine, a host that answers may be silent for a second.
    const stallSeconds = cause.test("sent almost no data") ? 1 : 20;
    for (let trial = 0; trial < TRIALS; trial++) {
      const mountPath = `/data/trial-${trial}`;
      fail = fault(trial);
      const result = await bench.clone(sandbox, "widget", { url, mountPath, stallSeconds });
      assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
      assert.ok(result.message.startsWith(`${url} could not be cloned to ${mountPath}: `), result.message);
      assert.match(result.message, cause);
      assert.ok(result.transient, result.message);
      assert.ok(!result.message.includes(bench.token));
      assert.equal(await sh(sandbox, "ls -A /data"), "");
    }
  });
}

test("clone: a host that is unavailable → a fault that passes, with the time that it asks for", async () => {
  for (const [status, headers, retryAfterMs] of [
    [503, { "retry-after": "7" }, 7_000],
    [429, { "Retry-After": "120" }, 120_000],
    [500, {}, null],
  ] as const) {
    fail = (_request, response) => void response.writeHead(status, headers).end();
    const result = await bench.clone(sandbox, "widget", { url });
    assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
    assert.deepEqual([result.transient, result.retryAfterMs], [true, retryAfterMs]);
    assert.match(result.message, new RegExp(`\\(${status}\\)`));
    assert.equal(await sh(sandbox, "ls -A /data"), "");
  }
});

test("clone: a host that is unavailable when it is asked for a commit → not taken for a missing commit", async () => {
  let requests = 0;
  const pass = forward(Number.POSITIVE_INFINITY, () => {});
  fail = (request, response) => {
    if (/info\/refs/.test(request.url ?? "")) requests += 1;
    if (requests > 2) response.writeHead(502).end();
    else pass(request, response);
  };
  const checkout = { type: "commit", sha: "12".repeat(20) } as const;
  const result = await bench.clone(sandbox, "widget", { url, checkout });
  assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
  assert.equal(result.transient, true);
});

test("clone: a pack is larger than the disk → the disk is full, and the space is free again afterwards", async () => {
  const small = await bench.open({
    limits: { memoryBytes: 512 * 1024 ** 2, pids: 256, cpus: 2, diskBytes: 64 * 1024 ** 2 },
  });
  await bench.push("large", "head -c 200000000 /dev/urandom > large && git add large");
  const result = await bench.clone(small, "large");
  assert.ok(!result.ok && result.type === "repository_clone_error", JSON.stringify(result));
  assert.match(result.message, /disk is full/);
  assert.equal(await sh(small, "ls -A /data; head -c 40000000 /dev/zero > /data/x && rm /data/x"), "");
  await small.close();
});

// Subject: what happens while S3, or a process that uses it, fails.
import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, type TestContext, test } from "node:test";
import { type S3Fault, s3Error } from "../../../../../tests/s3-host/s3-host.ts";
import { s3Store } from "../../../test-support/blob-stores.ts";
import { pieces } from "../../../test-support/pieces.ts";
import type { BlobStore } from "../interface/blob-store.ts";
import { BlobsUnavailableError } from "../interface/blobs-unavailable.ts";
import { SupersededError } from "../interface/partial-blob.ts";
import { openS3Blobs } from "./s3-blobs.ts";
import { parseS3Place } from "./s3-place.ts";

const MIB = 1_048_576;
const NO_PROXIES = { httpsProxy: null, httpProxy: null, noProxy: [] };
const nothing = async () => undefined;

async function stored(blobs: BlobStore, content: Buffer): Promise<string> {
  const staged = await blobs.stage(pieces(content));
  await staged.keep();
  return staged.sha256;
}

/** Rejects each request this many times before it succeeds. */
function refusing(times: number): S3Fault {
  const refused = new Map<string, number>();
  return ({ method, key, query }, response, message) => {
    const name = `${method} ${key} ${query}`;
    const before = refused.get(name) ?? 0;
    refused.set(name, before + 1);
    return before < times && s3Error(message, response, 503, "SlowDown");
  };
}

describe("S3 fails", () => {
  test("SlowDown, once for each request → everything is done all the same", async (t) => {
    const { blobs, s3 } = await s3Store(t);
    s3.fault = refusing(1);
    const content = randomBytes(9 * MIB);
    const sha256 = await stored(blobs, content);
    assert.deepEqual(await buffer(blobs.read(sha256)), content);
    s3.fault = () => false;
    assert.deepEqual(s3.keys(), [`some/prefix/blobs/${sha256}`]);
  });

  test("SlowDown amid an upload → what was counted stays, and the next request goes on", async (t) => {
    const { blobs, s3 } = await s3Store(t);
    const [id, content] = [randomUUID(), randomBytes(18 * MIB)];
    let received = 0;
    const onSynced = async (size: number) => {
      received = size;
    };
    s3.fault = ({ query }, response, message) =>
      query.get("partNumber") === "3" && s3Error(message, response, 503, "SlowDown");
    await assert.rejects(blobs.partial(id).append(0, pieces(content), onSynced), (error: Error) => {
      assert.ok(error instanceof BlobsUnavailableError);
      assert.equal(error.message, `S3 at ${s3.endpoint} is busy or failing (SlowDown).`);
      return true;
    });
    assert.equal(received, 8 * MIB);
    s3.fault = () => false;
    await blobs.partial(id).append(received, pieces(content.subarray(received)), onSynced);
    const { sha256 } = await blobs.partial(id).stage(content.length);
    assert.equal(sha256, createHash("sha256").update(content).digest("hex"));
  });

  test("connections that break amid a content → it is read on from there; one that always breaks → rejected", async (t) => {
    const { blobs, s3 } = await s3Store(t);
    const content = randomBytes(3 * MIB);
    const sha256 = await stored(blobs, content);
    const cut = (bytes: number): S3Fault => {
      return ({ method, headers }, response) => {
        const start = Number(/^bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
        if (method !== "GET" || start > 2 * MIB) return false;
        response.writeHead(206, { "content-length": content.length - start });
        response.write(content.subarray(start, start + bytes), () => response.destroy());
        return true;
      };
    };
    s3.fault = cut(MIB + 7);
    assert.deepEqual(await buffer(blobs.read(sha256)), content);
    s3.fault = cut(0);
    await assert.rejects(buffer(blobs.read(sha256)), BlobsUnavailableError);
  });

  test("a connection on which nothing comes any more → given up, and the content is read on", async (t) => {
    const { s3, db, directory, blobs } = await s3Store(t);
    const content = randomBytes(100_000);
    const sha256 = await stored(blobs, content);
    const place = parseS3Place(`s3://${s3.bucket}/some/prefix?endpoint=${s3.endpoint}`);
    const cache = { directory, maxBytes: 0 };
    const impatient = openS3Blobs({ place, proxies: NO_PROXIES, cache, db, silenceMs: 300 });
    t.after(() => impatient.close());
    let stalls = 0;
    s3.fault = ({ method, headers }, response) => {
      if (method !== "GET" || headers.range !== undefined) return false;
      stalls += 1;
      response.writeHead(200, { "content-length": content.length });
      return response.write(content.subarray(0, 1_000)) || true;
    };
    assert.deepEqual(await buffer(impatient.read(sha256)), content);
    assert.equal(stalls, 1);
  });

  test("proxy: requests go through it, but for hosts that need none", async (t) => {
    const { s3, db, directory } = await s3Store(t);
    const passed: string[] = [];
    const proxy = createServer((message, response) => {
      passed.push(message.url ?? "");
      const { method, headers } = message;
      const forward = request(message.url ?? "", { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      message.pipe(forward);
    }).listen(0, "127.0.0.1");
    t.after(() => {
      proxy.close();
      proxy.closeAllConnections();
    });
    await once(proxy, "listening");
    const httpProxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const place = parseS3Place(`s3://${s3.bucket}?endpoint=${s3.endpoint}`);
    for (const [noProxy, requests] of [
      [[], 3],
      [["127.0.0.1"], 0],
    ] as const) {
      passed.length = 0;
      const cache = { directory, maxBytes: 0 };
      const blobs = openS3Blobs({ place, proxies: { ...NO_PROXIES, httpProxy, noProxy }, cache, db });
      t.after(() => blobs.close());
      await blobs.check();
      assert.equal(passed.length, requests);
    }
  });

  for (const [status, code, sentence] of [
    [403, "SignatureDoesNotMatch", /refuses the credentials \(SignatureDoesNotMatch\)\.$/],
    [403, "InvalidAccessKeyId", /refuses the credentials/],
    [403, "AccessDenied", /^The credentials do not permit what Berth does in the bucket 'contents'/],
    [403, "RequestTimeTooSkewed", /^This machine's clock differs too much/],
    [404, "NoSuchBucket", /^There is no bucket 'contents' at http/],
    [400, "AuthorizationHeaderMalformed", /is in another region than/],
    [301, "PermanentRedirect", /is in another region than/],
    [501, "NotImplemented", /rejected Berth's request \(NotImplemented, status 501\)\.$/],
  ] as const)
    test(`${code} → one sentence`, async (t) => {
      const { blobs, s3 } = await s3Store(t);
      s3.fault = (_request, response, message) => s3Error(message, response, status, code);
      await assert.rejects(blobs.check(), (error: Error) => sentence.test(error.message));
    });
});

describe("several processes", () => {
  test("one that another has taken the content from → superseded, and records nothing", async (t) => {
    const { blobs, another } = await s3Store(t);
    const [id, content] = [randomUUID(), randomBytes(20 * MIB)];
    const other = (await another()).partial(id);
    async function* overtaken() {
      yield randomBytes(9 * MIB);
      await other.append(0, pieces(content), nothing);
      yield randomBytes(9 * MIB);
    }
    await assert.rejects(blobs.partial(id).append(0, overtaken(), nothing), SupersededError);
    const staged = await other.stage(content.length);
    await staged.keep();
    assert.deepEqual(await buffer(blobs.read(staged.sha256)), content);
  });

  test("what processes that died left behind → removed by the sweep, and nothing else", async (t) => {
    const { blobs, s3 } = await s3Store(t);
    const [gone, going] = [randomUUID(), randomUUID()];
    const kept = await stored(blobs, randomBytes(10));
    await blobs.partial(going).append(0, pieces(randomBytes(9 * MIB)), nothing);
    // The rows of a deleted file remain until its objects in S3 are removed.
    await blobs.partial(gone).append(0, pieces(randomBytes(9 * MIB)), nothing);
    s3.fault = ({ method }, response, message) =>
      method === "DELETE" && s3Error(message, response, 403, "AccessDenied");
    await assert.rejects(blobs.partial(gone).remove(), BlobsUnavailableError);
    const large = await blobs.stage(pieces(randomBytes(9 * MIB)));
    await assert.rejects(large.discard(), BlobsUnavailableError);
    s3.fault = () => false;
    assert.deepEqual((await blobs.partialNames()).sort(), [gone, going].sort());
    await blobs.partial(gone).remove();
    await blobs.removeAbandoned(-60_000);
    const left = s3.keys().map((key) => key.replace("some/prefix/", ""));
    assert.equal(left.filter((key) => key.startsWith(`growing/${going}.`)).length, 1);
    assert.deepEqual(
      left.filter((key) => !key.startsWith("growing/")),
      [`blobs/${kept}`],
    );
    assert.equal(s3.uploads().length, 1);
    await blobs.partial(going).remove();
    assert.deepEqual([s3.uploads(), s3.keys()], [[], [`some/prefix/blobs/${kept}`]]);
  });
});

describe("copies on the host", () => {
  async function withCopies(t: TestContext, cacheMb: number) {
    const store = await s3Store(t, cacheMb);
    const copies = () =>
      readdirSync(join(store.directory, "blob-cache"))
        .filter((name) => /^[0-9a-f]{64}$/.test(name))
        .sort();
    const reads = () => store.s3.requests.filter(({ method }) => method === "GET").length;
    return { ...store, copies, reads };
  }

  test("a content that is used again is not fetched again; the least recently used go when there is no room", async (t) => {
    const { blobs, copies, reads } = await withCopies(t, 2);
    const names: string[] = [];
    for (let index = 0; index < 3; index += 1) names.push(await stored(blobs, randomBytes(MIB - 100)));
    const [first = "", second = "", third = ""] = names;
    for (const name of [first, second, first]) await (await blobs.local(name)).release();
    assert.equal(reads(), 2);
    const held = await blobs.local(third);
    assert.deepEqual(copies(), [...names].sort());
    await held.release();
    assert.deepEqual(copies(), [first, third].sort());
  });

  test("a copy that is damaged, or of a content that is used no longer", async (t) => {
    const { blobs, another, directory, copies, reads } = await withCopies(t, 8);
    const content = randomBytes(1_000);
    const sha256 = await stored(blobs, content);
    await (await blobs.local(sha256)).release();
    writeFileSync(join(directory, "blob-cache", sha256), "damaged");
    const later = await another(directory);
    const { path, release } = await later.local(sha256);
    assert.deepEqual(readFileSync(path), content);
    assert.equal(reads(), 2);
    await later.removeCopies(async () => new Set());
    assert.deepEqual(copies(), [sha256]);
    await release();
    await later.removeCopies(async (names) => new Set(names));
    assert.deepEqual(copies(), [sha256]);
    await later.removeCopies(async () => new Set());
    assert.deepEqual(copies(), []);
  });

  test("a content that is damaged in the bucket → no copy", async (t) => {
    const { blobs, s3, copies } = await withCopies(t, 8);
    const sha256 = await stored(blobs, randomBytes(10));
    s3.fault = ({ method }, response) => {
      if (method === "GET") response.writeHead(200, { "content-length": 5 }).end("wrong");
      return method === "GET";
    };
    await assert.rejects(blobs.local(sha256), new RegExp(`The stored content ${sha256} is damaged`));
    assert.deepEqual(copies(), []);
  });
});

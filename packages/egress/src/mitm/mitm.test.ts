import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type MitmBench, makeMitmBench } from "../../test-support/mitm-bench.ts";
import type { ProxiedCredential } from "./proxied-credential.ts";

const value = "canary+s3cret/value=";
const placeholder = "berthplaceholder0123456789abcdef";

let bench: MitmBench;
let host: string;
let other: string;
before(async () => {
  bench = await makeMitmBench();
  [host, other] = [`https://host.example:${bench.port}`, `https://other.example:${bench.port}`];
});
after(() => bench.close());
beforeEach(() => {
  bench.received.length = 0;
  bench.denied.length = 0;
  bench.credentials = [credential()];
  bench.respond = (_received, response) => response.end("ok");
});

function credential(fields: Partial<ProxiedCredential> = {}): ProxiedCredential {
  const targets = [{ host: `host.example:${bench.port}` }];
  return { placeholder, value, targets, anywhere: true, ...fields };
}

async function curl(args: string): Promise<string> {
  const { stdout, stderr, code } = await bench.inside(
    `curl -sS --max-time 60 --cacert ${bench.caFile} ${args}`,
  );
  assert.equal(code, 0, stderr);
  return stdout;
}

test("injection: header, Basic authentication and query → the value, for its host only", async () => {
  await curl(
    `-H 'Authorization: Bearer ${placeholder}' -H 'X-Key: a ${placeholder} b' '${host}/p?key=${placeholder}&x=1'`,
  );
  await curl(`-u 'ann:${placeholder}' ${host}/`);
  const [first, second] = bench.received;
  assert.equal(first?.headers.authorization, `Bearer ${value}`);
  assert.equal(first?.headers["x-key"], `a ${value} b`);
  assert.equal(first?.url, `/p?key=${encodeURIComponent(value)}&x=1`);
  assert.equal(second?.headers.authorization, `Basic ${Buffer.from(`ann:${value}`).toString("base64")}`);
  const { stdout, code } = await bench.inside(
    `curl -sS --cacert ${bench.hostCaFile} -u 'ann:${placeholder}' -d ${placeholder} '${other}/?k=${placeholder}'`,
  );
  assert.deepEqual([code, stdout], [0, "ok"], "the other host's own certificate is seen");
  assert.ok(!JSON.stringify(bench.received[2]).includes(value));
  assert.equal(bench.received[2]?.body, placeholder);
});

test("injection: JSON, form, XML and text bodies → encoded value and new length", async () => {
  const tricky = `q"\\&<é\n`;
  bench.credentials = [credential({ value: tricky })];
  const send = (type: string, body: string) => curl(`-H 'Content-Type: ${type}' -d '${body}' ${host}/`);
  await send("application/json; charset=utf-8", `{"key":"${placeholder}"}`);
  await send("application/x-www-form-urlencoded", `a=1&key=${placeholder}`);
  await send("application/xml", `<k>${placeholder}</k>`);
  await send("text/plain", placeholder);
  const utf8 = bench.received.map(({ body }) => Buffer.from(body, "latin1").toString());
  assert.deepEqual(JSON.parse(utf8[0] ?? ""), { key: tricky });
  assert.equal(new URLSearchParams(utf8[1]).get("key"), tricky);
  assert.equal(utf8[2], `<k>q&#34;\\&#38;&#60;é\n</k>`);
  assert.equal(utf8[3], tricky);
  for (const { body, headers } of bench.received)
    assert.equal(headers["content-length"], String(body.length));
  await curl(`-H 'Transfer-Encoding: chunked' -H 'Content-Type: text/plain' -d 'x ${placeholder}' ${host}/`);
  assert.equal(Buffer.from(bench.received[4]?.body ?? "", "latin1").toString(), `x ${tricky}`);
});

test("injection: other and longer bodies → unchanged", async () => {
  await curl(`-H 'Content-Type: application/octet-stream' -d '${placeholder}' ${host}/`);
  const long = `head -c 300000 /dev/zero | tr '\\0' x | (cat; printf %s ${placeholder})`;
  await bench.inside(
    `${long} >/mnt/long; curl -sS --cacert ${bench.caFile} -H 'Content-Type: text/plain' --data-binary @/mnt/long ${host}/`,
  );
  await bench.inside(
    `${long} >/mnt/long; curl -sS --cacert ${bench.caFile} -H 'Transfer-Encoding: chunked' -H 'Content-Type: text/plain' --data-binary @/mnt/long ${host}/`,
  );
  assert.equal(bench.received[0]?.body, placeholder);
  for (const one of bench.received.slice(1)) {
    assert.equal(one.body.length, 300_000 + placeholder.length);
    assert.ok(one.body.endsWith(placeholder));
  }
  assert.equal(bench.received[1]?.headers["content-length"], String(300_000 + placeholder.length));
});

test("injection: a credential for headers → not in body or target", async () => {
  bench.credentials = [credential({ anywhere: false })];
  await curl(`-H 'Authorization: token ${placeholder}' -d 'k=${placeholder}' '${host}/?k=${placeholder}'`);
  const [one] = bench.received;
  assert.equal(one?.headers.authorization, `token ${value}`);
  assert.deepEqual([one?.body, one?.url], [`k=${placeholder}`, `/?k=${placeholder}`]);
});

test("injection: a credential for a path → at and below it, and for no ambiguous path", async () => {
  bench.credentials = [
    credential({ targets: [{ host: `host.example:${bench.port}`, path: "/acme/widget" }] }),
  ];
  const given = async (path: string): Promise<boolean> => {
    await curl(`--path-as-is -H 'Authorization: Bearer ${placeholder}' '${host}${path}'`);
    return bench.received.at(-1)?.headers.authorization === `Bearer ${value}`;
  };
  for (const path of [
    "/acme/widget",
    "/acme/widget/info/refs?x=/../",
    "/acme/widget.git/info/refs",
    "/acme/widget/a%20b",
    "/acme/widget/a;b/100%25/c..;d",
  ])
    assert.ok(await given(path), path);
  for (const path of [
    "/acme/widgets",
    "/acme/other",
    "/acme/widget.gitx",
    "/acme/widget/../other",
    "/acme/widget/%2e%2e/other",
    "/acme/widget/..%2fother",
    "/acme/widget/..",
    "//acme/widget",
    "/x?/acme/widget",
    "/acme/widget\\..\\other",
    "/acme/widget/..;/other",
    "/acme/widget/..;x=1/other",
    "/acme/widget/%2e%2e%3b/other",
    "/acme/widget/..%3b/other",
    "/acme/widget/%252e%252e/other",
    "/acme/widget/%252e%252e%252fother",
    "/acme/widget/%c0%ae%c0%ae/other",
  ])
    assert.ok(!(await given(path)), path);
});

test("injection: the current credential at each request, none once it is gone", async () => {
  const script = (n: number) => `-H 'Authorization: Bearer ${placeholder}' ${host}/${n}`;
  await curl(script(1));
  bench.credentials = [credential({ value: "ghp_rotated" })];
  await curl(script(2));
  await curl(`-H 'Authorization: Bearer ghp_${placeholder}' ${host}/3`);
  const change = () => {
    bench.credentials = [credential({ targets: [{ host: "elsewhere.example" }] })];
  };
  bench.respond = (received, response) => {
    if (received.url === "/4") change();
    response.end("ok");
  };
  await curl(`${script(4)} ${script(5)}`);
  assert.deepEqual(
    bench.received.map(({ headers }) => headers.authorization),
    [
      `Bearer ${value}`,
      "Bearer ghp_rotated",
      "Bearer ghp_rotated",
      "Bearer ghp_rotated",
      `Bearer ${placeholder}`,
    ],
  );
});

test("response: values of credentials are redacted in head and body", async () => {
  const basic = Buffer.from(`ann:${value}`).toString("base64");
  const texts = [
    value,
    JSON.stringify(value),
    encodeURIComponent(value),
    Buffer.from(value).toString("hex"),
    basic,
  ];
  for (const zipped of [false, true]) {
    bench.respond = (_received, response) => {
      const body = texts.join(" | ");
      response.setHeader("X-Echo", [value, `b ${value}`]);
      response.setHeader("Content-Type", "application/json");
      if (zipped) response.setHeader("Content-Encoding", "gzip");
      response.statusMessage = `OK ${value}`;
      const bytes = zipped ? gzipSync(body) : Buffer.from(body);
      response.setHeader("Content-Length", bytes.length);
      for (const byte of bytes) response.write(Buffer.from([byte]));
      response.end();
    };
    const output = await curl(`-i --compressed -u ann:${placeholder} ${host}/`);
    assert.match(output, /\| /);
    for (const form of [...texts, value, basic.slice(6, -4)])
      assert.ok(!output.includes(form), `${form} in ${output}`);
    assert.equal(output.split(placeholder).length - 1, 8, output);
  }
});

test("response: connections are kept alive; HEAD, 204, 304, 1xx and errors pass", async () => {
  const status = (code: number, headers = {}) => {
    bench.respond = (received, response) => {
      response.writeHead(code, { ...headers, "x-method": received.method });
      response.end(code === 200 ? "hello" : undefined);
    };
  };
  status(200, { "content-length": 5 });
  const before = bench.connections;
  const kept = await curl(`-v ${host}/1 ${host}/2 ${host}/3 2>&1`);
  assert.match(kept, /Re-using existing connection/);
  assert.equal(bench.connections - before, 1, "the host has one connection, too");
  const head = await curl(`-I ${host}/`);
  assert.match(head, /200 OK[\s\S]*content-length: 5\r\n/i);
  for (const code of [204, 304, 404, 500]) {
    status(code);
    assert.match(await curl(`-i ${host}/`), new RegExp(`^HTTP/1.1 ${code} `));
  }
  status(200);
  const body = `head -c 2000000 /dev/zero >/mnt/big; curl -sS -i --cacert ${bench.caFile} -H 'Expect: 100-continue' -T /mnt/big ${host}/`;
  const { stdout } = await bench.inside(body);
  assert.match(stdout, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK[\s\S]*hello$/);
  assert.equal(bench.received.at(-1)?.body.length, 2_000_000);
});

test("upstream: closes a kept-alive connection → the request is sent on a new one", async () => {
  bench.respond = (received, response) => {
    response.end("ok");
    if (received.url === "/1") response.socket?.end();
  };
  const { stdout } = await bench.inside(
    `curl -sS --cacert ${bench.caFile} --rate 2/s ${host}/1 ${host}/2 --next -sS --cacert ${bench.caFile} -d x=1 ${host}/3`,
  );
  assert.equal(stdout, "okokok");
  assert.deepEqual(
    bench.received.map(({ method, url }) => method + url),
    ["GET/1", "GET/2", "POST/3"],
  );
});

test("client: disconnects while its host is dialled → no upstream connection is left", {
  timeout: 60_000,
}, async () => {
  await bench.closed();
  const resolving = Promise.withResolvers<void>();
  bench.resolving = resolving.promise;
  const { code } = await bench.inside(`curl -sS --max-time 0.5 --cacert ${bench.caFile} ${host}/`);
  assert.equal(code, 28);
  const before = bench.connections;
  resolving.resolve();
  bench.resolving = Promise.resolve();
  await curl(`${host}/other`);
  assert.ok(bench.connections > before);
  await bench.closed();
});

test("streams: pass without delay in both directions", async () => {
  const halves = Promise.withResolvers<void>();
  bench.respond = (_received, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: one\n\n");
    void halves.promise.then(() => response.end("data: two\n\n"));
  };
  const script = `curl -sSN --cacert ${bench.caFile} ${host}/ | { read line; echo "$line"; curl -sS --cacert ${bench.caFile} ${host}/go; cat; }`;
  const respond = bench.respond;
  bench.respond = (received, response) => {
    if (received.url !== "/go") return respond(received, response);
    response.end("gone\n");
    halves.resolve();
  };
  assert.equal((await bench.inside(script)).stdout, "data: one\ngone\n\ndata: two\n\n");
});

test("upstream: an untrusted certificate → 502, and the host gets nothing", async (t) => {
  const strict = await makeMitmBench([]);
  t.after(() => strict.close());
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  strict.credentials = [credential({ targets: [{ host: `host.example:${strict.port}` }] })];
  const { stdout } = await strict.inside(
    `curl -sS -i --cacert ${strict.caFile} -u x:${placeholder} https://host.example:${strict.port}/`,
  );
  assert.match(stdout, /^HTTP\/1.1 502 [\s\S]*could not be asked: UNABLE_TO/);
  assert.deepEqual(strict.received, []);
});

test("plain HTTP: a credential only for a target with plaintext", async () => {
  const plain = `http://host.example:${bench.plainPort}`;
  const target = { host: `host.example:${bench.plainPort}` };
  const ask = async () => {
    await curl(`-u ann:${placeholder} ${plain}/one`);
    return Buffer.from((bench.received.at(-1)?.headers.authorization ?? "").slice(6), "base64").toString();
  };
  bench.credentials = [credential({ targets: [target] })];
  assert.equal(await ask(), `ann:${placeholder}`);
  bench.credentials = [credential({ targets: [{ ...target, plaintext: true }] })];
  assert.equal(await ask(), `ann:${value}`);
});

test("injection: a value that no header can carry → 400", async () => {
  bench.credentials = [credential({ value: "a\r\nX-Evil: 1" })];
  const output = await curl(`-i -H 'X-Key: ${placeholder}' ${host}/`);
  assert.match(output, /^HTTP\/1.1 400 [\s\S]*no header can carry/);
  await curl(`'${host}/?k=${placeholder}'`);
  assert.deepEqual(
    bench.received.map(({ url }) => url),
    ["/?k=a%0D%0AX-Evil%3A%201"],
  );
});

test("setPolicy: an open connection whose TLS the service ended is closed once its host is not allowed", async () => {
  const requested = Promise.withResolvers<void>();
  bench.respond = (_received, response) => {
    response.write("begun");
    requested.resolve();
  };
  const names = ["host.example", "other.example"];
  const all = names.flatMap((name) => [`${name}:${bench.port}`, `${name}:${bench.plainPort}`]);
  const policy = (hosts: string[]) => ({ mode: "limited" as const, hosts });
  try {
    const endless = bench.inside(
      `curl -sS --max-time 60 --cacert ${bench.caFile} -H 'Authorization: Bearer ${placeholder}' ${host}/`,
    );
    await requested.promise;
    bench.namespace.setPolicy(policy(all.filter((host) => host.startsWith("other."))));
    const { code } = await endless;
    assert.ok(code !== 0 && code !== 28, `curl ended with ${code}: 28 is its time limit`);
    assert.equal(bench.received[0]?.headers.authorization, `Bearer ${value}`);
  } finally {
    bench.namespace.setPolicy(policy(all));
  }
});

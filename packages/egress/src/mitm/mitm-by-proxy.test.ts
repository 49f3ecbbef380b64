// Subject: mitm.ts, for connections through the proxy.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { type MitmBench, makeMitmBench } from "../../test-support/mitm-bench.ts";

const value = "canary-value";
const placeholder = "berthplaceholder0123456789abcdef";
const proxied = "curl -sS --max-time 60 --proxy http://127.0.0.1:3128";
const authorization = `-H 'Authorization: Bearer ${placeholder}'`;

let bench: MitmBench;
before(async () => {
  bench = await makeMitmBench();
});
after(() => bench.close());
beforeEach(() => {
  bench.received.length = 0;
  bench.denied.length = 0;
  const targets = [
    { host: `host.example:${bench.port}` },
    { host: `host.example:${bench.plainPort}`, plaintext: true },
  ];
  bench.credentials = [{ placeholder, value, targets, anywhere: false }];
});

test("proxy: credentials are injected in tunnels and in forwarded requests", async () => {
  const tls = `${proxied} --cacert ${bench.caFile} ${authorization} https://host.example:${bench.port}/`;
  const plain = `${proxied} ${authorization} http://host.example:${bench.plainPort}/`;
  for (const command of [tls, plain, `${plain} -p`]) {
    const { stdout, stderr } = await bench.inside(command);
    assert.equal(stdout, "ok", stderr);
  }
  assert.deepEqual(
    bench.received.map(({ url, headers }) => [url, headers.authorization]),
    [1, 2, 3].map(() => ["/", `Bearer ${value}`]),
  );
});

test("proxy: credentials are injected for the host of the tunnel only", async () => {
  const other = `${proxied} ${authorization} http://other.example:${bench.plainPort}/`;
  assert.equal((await bench.inside(other)).stdout, "ok");
  assert.equal(bench.received[0]?.headers.authorization, `Bearer ${placeholder}`);
  const fronted = `${proxied} -p ${authorization} -H 'Host: other.example:${bench.plainPort}' http://host.example:${bench.plainPort}/`;
  await bench.inside(fronted);
  const two = `exec 5<>/dev/tcp/127.0.0.1/3128
get() { printf 'GET http://%s/ HTTP/1.1\\r\\nHost: %s\\r\\nAuthorization: ${placeholder}\\r\\n\\r\\n' "$1" "$1" >&5; }
get host.example:${bench.plainPort}; get other.example:${bench.plainPort}; timeout 5 cat <&5`;
  const { stdout } = await bench.inside(`bash -c '${two.replaceAll("'", "'\\''")}'`);
  assert.match(stdout, /^HTTP\/1\.1 200[\s\S]*HTTP\/1\.1 421 /);
  assert.deepEqual(
    bench.received.map(({ headers }) => headers.host),
    [`other.example:${bench.plainPort}`, `host.example:${bench.plainPort}`],
  );
  assert.deepEqual(bench.denied, [{ host: "host.example", port: bench.plainPort, reason: "name_mismatch" }]);
});

// Subject: mitm.ts, with clients that try to exhaust it or to obtain secrets.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { type MitmBench, makeMitmBench } from "../../test-support/mitm-bench.ts";

const value = "canary-s3cret-value";
const placeholder = "berthplaceholder0123456789abcdef";

let bench: MitmBench;
let at: string;
before(async () => {
  bench = await makeMitmBench();
  at = `host.example:${bench.port}`;
});
after(() => bench.close());
beforeEach(() => {
  bench.received.length = 0;
  given(value);
  bench.respond = (received, response) => response.end(`saw ${received.url}`);
});

function given(secret: string): void {
  bench.credentials = [{ placeholder, value: secret, targets: [{ host: at }], anywhere: true }];
}

/**
 * Runs a program in the namespace, with `open()` for a TLS connection to the host, and returns its output.
 */
async function inside(program: string): Promise<string> {
  const script = `
cat >/mnt/client.js <<'END'
const [port, ca] = process.argv.slice(2);
const authority = require("node:fs").readFileSync(ca);
const open = () => require("node:tls").connect({ port: Number(port), host: "host.example", servername: "host.example", ca: authority });
const head = (line, more = "") => line + " HTTP/1.1\\r\\nHost: host.example:" + port + "\\r\\n" + more + "\\r\\n";
const tell = (text) => process.stdout.write(String(text), () => process.exit());
setTimeout(() => tell("late"), 60000);
${program}
END
'${process.execPath}' /mnt/client.js ${bench.port} ${bench.caFile}`;
  const { stdout, stderr } = await bench.inside(script);
  assert.equal(stderr, "");
  return stdout;
}

async function curl(args: string): Promise<string> {
  const { stdout } = await bench.inside(`curl -sS --max-time 60 --cacert ${bench.caFile} ${args}`);
  return stdout;
}

test("TRACE → 405, and the host gets nothing", async () => {
  bench.respond = ({ headers }, response) => {
    response.setHeader("content-type", "message/http");
    response.end(JSON.stringify(headers));
  };
  assert.match(await curl(`-i -X TRACE -H 'X-Key: ${placeholder}' https://${at}/`), /^HTTP\/1.1 405 /);
  assert.deepEqual(bench.received, []);
});

test("more bytes of secrets than a host may have → 400 that says so, and the host gets nothing", async () => {
  const target = { targets: [{ host: at }], anywhere: true };
  bench.credentials = ["a", "b"].map((letter, index) => ({
    ...target,
    placeholder: `${placeholder}${index}`,
    value: letter.repeat(32_769),
  }));
  assert.match(
    await curl(`-i https://${at}/`),
    /^HTTP\/1.1 400 [\s\S]*This session has more than 65536 bytes of secrets for this host\./,
  );
  assert.deepEqual(bench.received, []);
});

test("response body: any type and accepted encoding → redacted", async () => {
  const bytes = `\0${value}\xff`;
  for (const zipped of [false, true]) {
    bench.respond = (_received, response) => {
      const body = zipped ? gzipSync(Buffer.from(bytes, "latin1")) : Buffer.from(bytes, "latin1");
      response.setHeader("Content-Type", "application/octet-stream");
      response.setHeader("Content-Length", body.length);
      if (zipped) response.setHeader("Content-Encoding", "gzip");
      response.end(body);
    };
    const output = await curl(`-i -H 'Accept-Encoding: gzip;q=1, compress, x-own' https://${at}/`);
    assert.ok(!output.includes(value), output);
    assert.ok(output.includes(zipped ? placeholder : placeholder.slice(0, value.length)), output);
    assert.equal(/content-length: 21\r/i.test(output), !zipped, "what is not decoded keeps its length");
    assert.equal(bench.received.at(-1)?.headers["accept-encoding"], "gzip;q=1");
  }
});

test("long value: injected and redacted", async () => {
  const long = `"é%+`.repeat(8_000);
  given(long);
  bench.respond = ({ body }, response) => {
    response.setHeader("X-Echo", encodeURIComponent(long.slice(0, 8)));
    response.end(Buffer.from(`${body} ${encodeURIComponent(long)}`, "latin1"));
  };
  const output = await curl(`-H 'Content-Type: text/plain' -d 'k ${placeholder}' https://${at}/`);
  assert.equal(bench.received[0]?.body, `k ${Buffer.from(long).toString("latin1")}`);
  assert.equal(output, `k ${placeholder} ${placeholder}`);
});

test("injection: text beyond the limit → 400, and the host gets nothing", async () => {
  given(`"é%+`.repeat(8_000));
  const many = `for n in $(seq 1 7000); do printf %s ${placeholder}; done >/mnt/many`;
  for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded", "text/xml"]) {
    const { stdout } = await bench.inside(
      `${many}; curl -sS --cacert ${bench.caFile} -H 'Content-Type: ${type}' --data-binary @/mnt/many https://${at}/`,
    );
    assert.match(stdout, /too long with the credentials/, type);
  }
  given("x".repeat(32_000));
  const few = placeholder.repeat(15);
  const headers = Array.from({ length: 30 }, (_, n) => `-H 'X-${n}: ${few}'`).join(" ");
  assert.match(await curl(`${headers} https://${at}/`), /too long with the credentials/);
  assert.match(await curl(`'https://${at}/?${placeholder.repeat(200)}'`), /too long with the credentials/);
  assert.deepEqual(bench.received, []);
});

test("pipelined requests: served in order, one after another", async () => {
  const output = await inside(`
const socket = open();
for (let n = 0; n < 12; n++) socket.write(head("POST /" + n, "Content-Type: text/plain\\r\\nContent-Length: 2\\r\\n") + "hi");
let text = "";
socket.on("data", (data) => { text += data; if (text.includes("saw /11")) tell(text.match(/saw .\\d+/g)); });`);
  const order = Array.from({ length: 12 }, (_, n) => `/${n}`);
  assert.equal(output, order.map((path) => `saw ${path}`).join());
  assert.deepEqual(
    bench.received.map(({ url }) => url),
    order,
  );
});

test("pipelined requests without end → the connection is closed", async () => {
  bench.respond = () => {};
  const output = await inside(`
const socket = open();
const some = head("GET /a").repeat(1000);
let sent = 0;
const send = () => { while (sent < 100e6) { sent += some.length; if (!socket.write(some)) return socket.once("drain", send); } tell("taken"); };
socket.on("secureConnect", send);
socket.on("error", () => {});
socket.on("close", () => tell("closed"));`);
  assert.equal(output, "closed");
  assert.ok(bench.received.length <= 1);
});

test("body budget: a client that disconnects during its requests releases its share", async () => {
  let held = 0;
  let mayLeave = (): void => {};
  bench.respond = ({ url }, response) => {
    if (url === "/leave") mayLeave = () => response.end();
    else held += 1;
    if (held === 40) mayLeave();
  };
  const output = await inside(`
const body = "x".repeat(200000);
for (let n = 0; n < 40; n++) {
  const socket = open();
  socket.write(head("POST /held", "Content-Type: text/plain\\r\\nContent-Length: 200000\\r\\n") + body);
}
const socket = open();
socket.write(head("GET /leave"));
socket.on("data", () => tell("left"));`);
  assert.equal(output, "left");
  await bench.closed();
  bench.respond = (_received, response) => response.end("ok");
  const big = `head -c 200000 /dev/zero >/mnt/big; for n in 1 2 3; do curl -sS --cacert ${bench.caFile} -H 'Content-Type: text/plain' --data-binary @/mnt/big https://${at}/; done`;
  assert.equal((await bench.inside(big)).stdout, "okokok");
});

test("connection limit: 160 connections → 128 open, and new ones once they end", async () => {
  const output = await inside(`
let [opened, closed] = [0, 0];
const done = () => opened + closed === 160 && tell([opened, closed]);
for (let n = 0; n < 160; n++) {
  const socket = open();
  socket.on("error", () => {});
  let counted = false;
  socket.on("secureConnect", () => { counted = true; opened += 1; done(); });
  socket.on("close", () => { if (!counted) closed += 1; done(); });
}`);
  assert.equal(output, "128,32");
  assert.equal(await curl(`https://${at}/again`), "saw /again");
});

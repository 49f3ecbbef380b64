// Subject: mitm.ts, with malformed and ambiguous requests and responses.
import assert from "node:assert/strict";
import { after, before, beforeEach, suite, test } from "node:test";
import { type MitmBench, makeMitmBench, type ReceivedRequest } from "../../test-support/mitm-bench.ts";
import { createTunnelledEgress } from "../../test-support/tunnelled-egress.ts";
import { createEgress } from "../egress.ts";

const CAPTURES = Object.entries({ namespace: createEgress, tunnel: createTunnelledEgress });

for (const [capture, open] of process.getuid?.() === 0 ? CAPTURES : CAPTURES.slice(0, 1))
  suite(`captured in a ${capture}`, () => {
    const value = "canary-s3cret-value";
    const placeholder = "berthplaceholder0123456789abcdef";

    let bench: MitmBench;
    let at: string;
    before(async () => {
      bench = await makeMitmBench(undefined, open);
      at = `host.example:${bench.port}`;
      bench.credentials = [{ placeholder, value, targets: [{ host: at }], anywhere: true }];
    });
    after(() => bench.close());
    beforeEach(() => {
      bench.received.length = 0;
      bench.denied.length = 0;
      bench.respond = (received, response) => response.end(`saw ${received.url}`);
    });

    /**
     * A program that sends bytes over TLS and prints what it receives, until the other side ends, `last` was
     * received, or `silence` ms pass.
     */
    const client = `
const [port, name, server, ca, bytes, last, silence] = process.argv.slice(1);
let output = "";
const socket = require("node:tls").connect({ port: Number(port), host: name, servername: server, ca: require("node:fs").readFileSync(ca) });
socket.setTimeout(Number(silence), () => socket.destroy());
socket.on("secureConnect", () => socket.write(Buffer.from(bytes, "base64")));
socket.on("data", (chunk) => {
  process.stdout.write(chunk);
  output += chunk;
  if (last !== "" && output.includes(last)) socket.destroy();
});
socket.on("error", (error) => process.stdout.write("error " + error.code));
`;

    async function send(
      bytes: string,
      { name = "host.example", server = "host.example", last = "", silence = 10_000 } = {},
    ): Promise<string> {
      const encoded = Buffer.from(bytes, "latin1").toString("base64");
      const args = [bench.port, name, server, bench.caFile, encoded, last, silence];
      return (
        await bench.inside(`'${process.execPath}' -e '${client}' ${args.map((one) => `'${one}'`).join(" ")}`)
      ).stdout;
    }

    function lastReceived(): ReceivedRequest {
      const last = bench.received.at(-1);
      assert.ok(last);
      return last;
    }

    const credential = `X-Key: ${placeholder}`;

    const refused: readonly [what: string, status: number, bytes: () => string][] = [
      [
        "a length and chunks",
        400,
        () =>
          `POST /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`,
      ],
      [
        "two lengths",
        400,
        () =>
          `POST /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      ],
      [
        "a list of lengths",
        400,
        () => `POST /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\nContent-Length: 2, 2\r\n\r\nab`,
      ],
      [
        "a length with a sign",
        400,
        () => `POST /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\nContent-Length: +2\r\n\r\nab`,
      ],
      [
        "another coding",
        501,
        () =>
          `POST /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      ],
      [
        "a coding that does not end in chunks",
        400,
        () =>
          `POST /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
      ],
      [
        "a space before a colon",
        400,
        () =>
          `POST /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
      ],
      ["a folded line", 400, () => `GET /a HTTP/1.1\r\nHost: ${at}\r\nX: a\r\n b\r\n${credential}\r\n\r\n`],
      ["a bare line feed", 400, () => `GET /a HTTP/1.1\nHost: ${at}\n${credential}\n\n`],
      ["a NUL in a header", 400, () => `GET /a HTTP/1.1\r\nHost: ${at}\r\nX: \0\r\n${credential}\r\n\r\n`],
      [
        "a chunk size that is none",
        400,
        () =>
          `POST /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n`,
      ],
      ["no Host", 400, () => `GET /a HTTP/1.1\r\n${credential}\r\n\r\n`],
      [
        "two Hosts",
        421,
        () => `GET /a HTTP/1.1\r\nHost: ${at}\r\nHost: evil.example\r\n${credential}\r\n\r\n`,
      ],
      [
        "another Host",
        421,
        () => `GET /a HTTP/1.1\r\nHost: other.example:${bench.port}\r\n${credential}\r\n\r\n`,
      ],
      ["another port", 421, () => `GET /a HTTP/1.1\r\nHost: host.example\r\n${credential}\r\n\r\n`],
      [
        "a Host behind a user name",
        421,
        () => `GET /a HTTP/1.1\r\nHost: ${at}@evil.example\r\n${credential}\r\n\r\n`,
      ],
      [
        "a target of another host",
        421,
        () => `GET http://other.example:${bench.port}/a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\n\r\n`,
      ],
      ["HTTP/2 without asking", 400, () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ];

    test("ambiguous framing, other host → an error response, and the host gets nothing", async () => {
      for (const [what, status, bytes] of refused) {
        const output = await send(bytes());
        assert.match(output, new RegExp(`^HTTP/1.1 ${status} `), `${what}: ${output}`);
        assert.ok(!output.includes(value), what);
      }
      assert.deepEqual(bench.received, []);
      assert.ok(
        bench.denied.every(({ host, reason }) => host === "host.example" && reason === "name_mismatch"),
      );
      assert.ok(bench.denied.length > 0);
    });

    test("request head: too long → closed", async () => {
      const output = await send(`GET /a HTTP/1.1\r\nHost: ${at}\r\nX: ${"x".repeat(40_000)}\r\n\r\n`);
      assert.doesNotMatch(output, /200/);
      assert.deepEqual(bench.received, []);
    });

    test("second request for another host → 421", async () => {
      const first = `GET /1 HTTP/1.1\r\nHost: ${at}\r\n\r\n`;
      const output = await send(
        `${first}GET /2 HTTP/1.1\r\nHost: other.example:${bench.port}\r\n${credential}\r\n\r\n${first}`,
      );
      assert.match(output, /^HTTP\/1.1 200 OK[\s\S]*saw \/1[\s\S]*HTTP\/1.1 421 /);
      assert.deepEqual(
        bench.received.map(({ url }) => url),
        ["/1"],
      );
    });

    test("request hidden in a body: stays in the body", async () => {
      const hidden = `GET /hidden HTTP/1.1\r\nHost: ${at}\r\n\r\n`;
      const output = await send(
        `POST /1 HTTP/1.1\r\nHost: ${at}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}GET /2 HTTP/1.1\r\nHost: ${at}\r\n\r\n`,
        { last: "saw /2" },
      );
      assert.match(output, /saw \/1[\s\S]*saw \/2/);
      assert.deepEqual(
        bench.received.map(({ url, body }) => [url, body]),
        [
          ["/1", hidden],
          ["/2", ""],
        ],
      );
    });

    test("CONNECT is denied, and an upgrade is not forwarded", async () => {
      const connect = await send(
        `CONNECT other.example:${bench.port} HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\n\r\n`,
      );
      assert.doesNotMatch(connect, /200/);
      assert.deepEqual(bench.received, []);
      const upgrade = await send(
        `GET /ws HTTP/1.1\r\nHost: ${at}\r\nConnection: Upgrade, X-Secret\r\nUpgrade: websocket\r\nX-Secret: 1\r\n\r\n`,
        { last: "saw /ws" },
      );
      assert.match(upgrade, /^HTTP\/1.1 200 OK[\s\S]*saw \/ws/);
      const { upgrade: upgraded, "x-secret": named, connection } = lastReceived().headers;
      assert.deepEqual([upgraded, named, connection], [undefined, undefined, "keep-alive"]);
    });

    test("server name and dialled name differ → reset and reported", async () => {
      // A different name than usual, so that its denial is not suppressed as a repetition.
      const output = await send(`GET /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\n\r\n`, {
        name: "other.example",
      });
      assert.match(output, /^error E/);
      assert.deepEqual(bench.received, []);
      assert.deepEqual(
        bench.denied.map(({ host, reason }) => [host, reason]),
        [["other.example", "name_mismatch"]],
      );
    });

    test("client that stops in a body: other connections are served", async () => {
      const head = `POST /half HTTP/1.1\r\nHost: ${at}\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf`;
      const half = send(head, { silence: 300 });
      const other = `GET /other HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\n\r\n`;
      assert.match(await send(other, { last: "saw /other" }), /saw \/other/);
      assert.equal(await half, "");
      assert.deepEqual(
        bench.received.map(({ url }) => url),
        ["/other"],
      );
    });

    test("body budget: 48 bodies at once → 503 beyond the budget", async () => {
      const script = `
    const [port, ca] = process.argv.slice(1);
    const output = [];
    for (let n = 0; n < 48; n++) {
      const socket = require("node:tls").connect({ port: Number(port), host: "host.example", servername: "host.example", ca: require("node:fs").readFileSync(ca) });
      socket.write("POST /held HTTP/1.1\\r\\nHost: host.example:" + port + "\\r\\nContent-Type: text/plain\\r\\nContent-Length: 262144\\r\\n\\r\\nx");
      socket.once("data", (data) => output.push(String(data).slice(9, 12)) === 16 && process.stdout.write(output.join(), () => process.exit()));
      socket.on("error", () => {});
    }
    setTimeout(() => process.stdout.write("late " + output.join(), () => process.exit()), 60000);`;
      const { stdout } = await bench.inside(
        `'${process.execPath}' -e '${script}' ${bench.port} ${bench.caFile}`,
      );
      assert.equal(stdout, Array(16).fill("503").join());
      const free = `GET /free HTTP/1.1\r\nHost: ${at}\r\n\r\n`;
      assert.match(await send(free, { last: "saw /free" }), /saw \/free/);
    });

    test("upstream: ambiguous or missing response → 502", async () => {
      const responses = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        "220 mail.example\r\n",
        "",
      ];
      for (const bytes of responses) {
        bench.respond = (_received, response) => response.socket?.end(bytes);
        const output = await send(`GET /a HTTP/1.1\r\nHost: ${at}\r\n${credential}\r\n\r\n`);
        assert.match(output, /^HTTP\/1.1 502 [\s\S]*could not be asked/, bytes);
      }
    });
  });

// Subject: the egress of a sandbox, with hostile requests to allowed hosts and to the proxy.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, before, beforeEach, suite, test } from "node:test";
import type { EgressDenied } from "@berth/egress";
import { allowedZone } from "../../test-support/hostile/hostile-forms.ts";
import { CAPTURE_KINDS, openHostileRange, type Range } from "../../test-support/hostile/hostile-range.ts";
import {
  hostileProxyRequests,
  hostileRequests,
  hostileTargets,
} from "../../test-support/hostile/hostile-requests.ts";
import { sendEach } from "../../test-support/hostile/programs.ts";

for (const capture of CAPTURE_KINDS)
  suite(`captured in a ${capture}`, () => {
    let upstream: Server;
    let port: number;
    let range: Range;
    let requests = 0;

    before(async () => {
      upstream = createServer((_, response) => {
        requests += 1;
        response.end("hello");
      });
      upstream.listen(0, "127.0.0.1");
      await once(upstream, "listening");
      port = (upstream.address() as AddressInfo).port;
      range = await openHostileRange({
        capture,
        hosts: [`*.${allowedZone}:${port}`],
        allowPrivate: [`127.0.0.1:${port}`],
        resolve: async () => ["127.0.0.1"],
      });
    });

    after(async () => {
      await range.close();
      upstream.close();
    });

    beforeEach(() => {
      requests = 0;
    });

    /** Returns one name per request, so that each denial is reported. */
    const nameOf = (index: number): string => `r${index}.${allowedZone}`;
    const reported = (denied: readonly EgressDenied[]): string[] =>
      denied.map(({ host, reason }) => `${host} ${reason}`).sort();

    test("direct connection: every hostile request → reset and reported", async () => {
      const sent = hostileRequests.map(({ bytes }, index) => ({
        to: `${nameOf(index)}:${port}`,
        bytes: bytes.replaceAll("NAME", `${nameOf(index)}:${port}`),
      }));
      const { lines, denied } = await range.run(sendEach(sent));
      assert.deepEqual(
        lines.map((line, index) => `${hostileRequests[index]?.what}: ${line}`),
        hostileRequests.map(({ what }) => `${what}: nothing`),
      );
      assert.deepEqual(
        reported(denied),
        hostileRequests.map(({ reason }, index) => `${nameOf(index)} ${reason}`).sort(),
      );
      assert.equal(requests, 0);
    });

    test("proxy: every hostile request → 403 and reported", async () => {
      const asked = hostileProxyRequests.map(({ bytes, ...rest }, index) => ({
        ...rest,
        host: nameOf(index),
        bytes: bytes.replaceAll("NAME", `${nameOf(index)}:${port}`),
      }));
      const targets = hostileTargets.map(([target, host]) => ({
        what: target,
        host,
        reason: "not_allowed",
        bytes: `CONNECT ${target} HTTP/1.1\r\n\r\n`,
      }));
      const all = [...asked, ...targets];
      const { lines, denied } = await range.run(
        sendEach(all.map(({ bytes }) => ({ to: "127.0.0.1:3128", bytes }))),
      );
      assert.deepEqual(
        lines.map((line, index) => `${all[index]?.what}: ${line}`),
        all.map(({ what }) => `${what}: HTTP/1.1 403 Forbidden`),
      );
      assert.deepEqual(new Set(denied.map(({ host }) => host)), new Set(all.map(({ host }) => host)));
      for (const { host, reason } of asked)
        assert.ok(reported(denied).includes(`${host} ${reason}`), `${host} ${reason}`);
      assert.equal(requests, 0);
    });

    test("plain HTTP: a second request on a connection reaches no host", async () => {
      const name = `twice.${allowedZone}:${port}`;
      const get = (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      const { lines } = await range.run(
        sendEach([{ to: name, bytes: `${get(name)}${get("evil.example")}` }]),
      );
      assert.deepEqual([lines, requests], [["HTTP/1.1 200 OK"], 1]);
    });

    test("plain HTTP: bytes after the body do not reach the host", async () => {
      const received: string[] = [];
      const raw = createTcpServer((socket) => {
        let text = "";
        socket.on("error", () => {});
        socket.on("data", (bytes) => {
          text += bytes.toString("latin1");
        });
        socket.on("end", () => {
          received.push(text);
          socket.end("HTTP/1.1 200 OK\r\n\r\n");
        });
      }).listen(0, "127.0.0.1");
      await once(raw, "listening");
      const at = (raw.address() as AddressInfo).port;
      const own = await openHostileRange({
        capture,
        hosts: [`*.${allowedZone}:${at}`],
        allowPrivate: [`127.0.0.1:${at}`],
        resolve: async () => ["127.0.0.1"],
      });
      const evil = "GET /evil HTTP/1.1\r\nHost: evil.example\r\n\r\n";
      const to = `a.${allowedZone}:${at}`;
      const bodies = [
        ["X: y", ""],
        ["Content-Length: 3", "abc"],
        ["Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n"],
      ];
      const sent = bodies.map(
        ([header, body]) => `POST /x HTTP/1.1\r\nHost: ${to}\r\n${header}\r\n\r\n${body}${evil}`,
      );
      const { lines } = await own.run(
        sendEach(
          sent.map((bytes) => ({ to, bytes })),
          { ends: true },
        ),
      );
      await own.close();
      raw.close();
      assert.deepEqual(
        lines,
        bodies.map(() => "HTTP/1.1 200 OK"),
      );
      assert.equal(received.length, bodies.length);
      for (const [index, text] of received.entries()) {
        assert.ok(!text.includes("evil"), text);
        assert.ok(text.endsWith(`\r\n\r\n${bodies[index]?.[1]}`), text);
      }
    });
  });

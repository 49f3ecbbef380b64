import assert from "node:assert/strict";
import { test } from "node:test";
import { readProxyRequest } from "./proxy-request.ts";

/** Host headers of a request for a tunnel to host.example:8443, and whether they name the same host. */
const HOSTS: ReadonlyArray<readonly [hosts: readonly string[], isSame: boolean]> = [
  [[], true],
  [["host.example:8443"], true],
  [["HOST.example"], true],
  [["host.example:443"], false],
  [["host.example:84430"], false],
  [["other.example:8443"], false],
  [["host.example.other.example:8443"], false],
  [["host.example:8443", "host.example:443"], false],
  [["host.example:8443", "other.example:8443"], false],
  [["host.example:8443, other.example"], false],
];

for (const [hosts, isSame] of HOSTS) {
  test(`tunnel: Host ${JSON.stringify(hosts)} → ${isSame ? "accepted" : "denied as a mismatch"}`, () => {
    const lines = hosts.map((host) => `Host: ${host}\r\n`).join("");
    const request = readProxyRequest(Buffer.from(`CONNECT host.example:8443 HTTP/1.1\r\n${lines}\r\n`));
    const { head: _, ...read } = { head: null, ...request };
    const target = { host: "host.example", port: 8443 };
    assert.deepEqual(
      read,
      isSame
        ? { kind: "tunnel", name: target.host, port: target.port }
        : { kind: "denied", denied: { ...target, reason: "name_mismatch" } },
    );
  });
}

import type { EgressDenied } from "@berth/egress";

/**
 * Bytes that a hostile program sends to an allowed host or to the proxy. `NAME` is replaced by that host with
 * its port.
 */
export interface HostileRequest {
  what: string;
  bytes: string;
  reason: EgressDenied["reason"];
}

const mismatch = "name_mismatch";
const unknown = "unknown_protocol";

function get(
  what: string,
  headers: string,
  reason: EgressDenied["reason"] = unknown,
  target = "/",
): HostileRequest {
  return { what, bytes: `GET ${target} HTTP/1.1\r\n${headers}\r\n\r\n`, reason };
}

/** Requests that are sent directly to the host. */
export const hostileRequests: readonly HostileRequest[] = [
  get("another Host", "Host: evil.example", mismatch),
  get("a Host without the port that was dialled", "Host: evil.example:80", mismatch),
  get("a Host that ends alike", "Host: evilNAME", mismatch),
  get("a Host that begins alike", "Host: NAME.evil.example", mismatch),
  get("a Host with a user", "Host: NAME@evil.example", mismatch),
  get("a Host with an address", "Host: 127.0.0.1", mismatch),
  get("an empty Host", "Host: ", mismatch),
  get("no Host", "Accept: */*", mismatch),
  get("two Hosts", "Host: NAME\r\nHost: evil.example", mismatch),
  get("two Hosts in another case", "Host: NAME\r\nhOST: evil.example", mismatch),
  get("two Hosts in one", "Host: NAME, evil.example", mismatch),
  get("a folded Host", "Host: NAME\r\n evil.example"),
  get("a folded header", "Host: NAME\r\nX: a\r\n\tHost: evil.example"),
  get("a space before the colon", "Host : evil.example\r\nHost: NAME"),
  get("a bare line feed", "Host: NAME\nHost: evil.example"),
  get("a bare carriage return", "Host: NAME\rHost: evil.example"),
  get("a NUL in the Host", "Host: NAME\0.evil.example"),
  get("a line without a colon", "Host: NAME\r\nevil"),
  get("an absolute target of another host", "Host: NAME", mismatch, "http://evil.example/"),
  get("an absolute target with a user", "Host: NAME", mismatch, "http://NAME@evil.example/"),
  get("an absolute target of another port", "Host: NAME", mismatch, "http://NAME0/"),
  get("an absolute https target", "Host: NAME", mismatch, "https://NAME/"),
  get("a target that is no path", "Host: NAME", mismatch, "evil.example"),
  get("a target with a space", "Host: NAME", unknown, "/ /"),
  get("a length and a coding", "Host: NAME\r\nContent-Length: 4\r\nTransfer-Encoding: chunked"),
  get("two lengths", "Host: NAME\r\nContent-Length: 4\r\nContent-Length: 5"),
  get("two lengths in one", "Host: NAME\r\nContent-Length: 4, 4"),
  get("a length that is no number", "Host: NAME\r\nContent-Length: 0x4"),
  get("a negative length", "Host: NAME\r\nContent-Length: -1"),
  get("a coding that only some read", "Host: NAME\r\nTransfer-Encoding: xchunked"),
  get("two codings", "Host: NAME\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
  get("a switch to HTTP/2", "Host: NAME\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c", mismatch),
  get("a switch to TLS", "Host: NAME\r\nConnection: Upgrade\r\nUpgrade: TLS/1.2", mismatch),
  { what: "HTTP/2 without a word", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", reason: unknown },
  { what: "HTTP/0.9", bytes: "GET /\r\n\r\n", reason: unknown },
  {
    what: "CONNECT at the host",
    bytes: "CONNECT evil.example:443 HTTP/1.1\r\nHost: NAME\r\n\r\n",
    reason: mismatch,
  },
  { what: "a method in lower case", bytes: "get / HTTP/1.1\r\nHost: NAME\r\n\r\n", reason: unknown },
  { what: "SSH", bytes: "SSH-2.0-OpenSSH_9\r\n", reason: unknown },
  { what: "SOCKS 5", bytes: "\x05\x01\x00", reason: unknown },
  { what: "SMTP", bytes: "EHLO-x evil.example\r\n\r\n", reason: unknown },
  { what: "an empty line first", bytes: "\r\nGET / HTTP/1.1\r\nHost: NAME\r\n\r\n", reason: unknown },
  { what: "TLS that is no hello", bytes: "\x16\x03\x01\x00\x04\x02\x00\x00\x00", reason: unknown },
];

/** Requests that are sent to the proxy; the response to each is 403. */
export const hostileProxyRequests: readonly HostileRequest[] = [
  {
    what: "a Host that is not the target",
    bytes: "CONNECT NAME HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
    reason: mismatch,
  },
  { what: "a Host of another port", bytes: "CONNECT NAME HTTP/1.1\r\nHost: NAME0\r\n\r\n", reason: mismatch },
  {
    what: "two Hosts",
    bytes: "CONNECT NAME HTTP/1.1\r\nHost: NAME\r\nHost: evil.example\r\n\r\n",
    reason: mismatch,
  },
  { what: "a body", bytes: "CONNECT NAME HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", reason: unknown },
  {
    what: "a folded Host",
    bytes: "CONNECT NAME HTTP/1.1\r\nHost: NAME\r\n evil.example\r\n\r\n",
    reason: unknown,
  },
  {
    what: "an absolute target of another Host",
    bytes: "GET http://NAME/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    reason: mismatch,
  },
  {
    what: "an absolute https target",
    bytes: "GET https://NAME/ HTTP/1.1\r\nHost: NAME\r\n\r\n",
    reason: mismatch,
  },
  { what: "another scheme", bytes: "GET ftp://NAME/ HTTP/1.1\r\nHost: NAME\r\n\r\n", reason: mismatch },
  {
    what: "an absolute target with a length and a coding",
    bytes:
      "POST http://NAME/ HTTP/1.1\r\nHost: NAME\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    reason: unknown,
  },
];

/**
 * CONNECT targets that lead to the proxy itself or to ports outside the policy, with the host that the denial
 * reports.
 */
export const hostileTargets: readonly (readonly [target: string, reported: string])[] = [
  ["127.0.0.1:3128", "127.0.0.1"],
  ["localhost:3128", "localhost"],
  ["[::1]:3128", "::1"],
  ["own.localhost:80", "own.localhost"],
  ["a.allowed.example:22", "a.allowed.example"],
  ["b.allowed.example:3128", "b.allowed.example"],
  ["c.allowed.example", "c.allowed.example"],
  ["d.allowed.example:0", "d.allowed.example"],
  ["e.allowed.example:65536", "e.allowed.example"],
  ["f.allowed.example:0443", "f.allowed.example"],
  ["g.allowed.example:443:443", "g.allowed.example:443"],
  ["h.allowed.example:+443", "h.allowed.example:+443"],
  ["http://i.allowed.example:443", "http://i.allowed.example"],
];

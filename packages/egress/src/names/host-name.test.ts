import assert from "node:assert/strict";
import { isIP } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { isLocalhost, parseHostName, parseHostPort } from "./host-name.ts";

const hostile = [
  "",
  ".",
  "..",
  ".example.com",
  "example.com.",
  "example..com",
  "example.com\0",
  "example.com\0.evil.net",
  "example.com\r\n",
  "example.com\r\nHost: evil.net",
  "example.com\n",
  " example.com",
  "example.com ",
  "exa mple.com",
  "example.com\t",
  "bücher.example",
  "ｅxample.com",
  "example。com",
  "exam\u200bple.com",
  "\u212aelvin.com",
  "ﬁle.com",
  "ex%61mple.com",
  "example.com%00",
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "127.0.0.0x1",
  "example.1",
  "example.0x",
  "0",
  "0.0.0.0",
  "::1",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "::ffff:169.254.169.254",
  "fe80::1%eth0",
  "user@example.com",
  "user:pass@example.com",
  "http://example.com",
  "//example.com",
  "example.com/path",
  "example.com?query",
  "example.com#fragment",
  "example.com\\evil.net",
  "example.com:443",
  "*.example.com",
  "*",
  "-example.com",
  "example-.com",
  "exa$mple.com",
  "example.com;evil.net",
  "example.com,evil.net",
  `${"a".repeat(64)}.com`,
  `${"a.".repeat(127)}com`,
  "\ufeffexample.com",
  "\u202eexample.com",
];

test("parseHostName: hostile forms → null", () => {
  assert.ok(hostile.length >= 40);
  for (const text of hostile) assert.equal(parseHostName(text), null, JSON.stringify(text));
});

test("parseHostName: plain names → in lower case", () => {
  const longest = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;
  for (const name of [
    "example.com",
    "a",
    "localhost",
    "xn--bcher-kva.example",
    "1.2.3.x4",
    "a_b.example.com",
    longest,
  ]) {
    assert.equal(parseHostName(name), name);
  }
  assert.equal(parseHostName("EXAMPLE.Com"), "example.com");
});

test("parseHostName: a result is stable, ASCII, and the same host for a URL parser", () => {
  const text = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.string({ unit: "binary" }),
    fc.stringMatching(/^[0-9a-fxA-Z._:-]{1,40}$/),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      const name = parseHostName(candidate);
      if (name === null) return;
      assert.equal(parseHostName(name), name);
      assert.match(name, /^[a-z0-9._-]+$/);
      assert.equal(isIP(name), 0);
      if (!name.includes("xn--")) assert.equal(new URL(`https://${name}/`).hostname, name);
    }),
    { numRuns: 2000 },
  );
});

test("parsePort: decimal, without sign, leading zero or space", () => {
  assert.deepEqual(parseHostPort("example.com"), { name: "example.com", port: null });
  assert.deepEqual(parseHostPort("example.com:8443"), { name: "example.com", port: 8443 });
  const wrong = [
    "example.com:",
    "example.com:0",
    "example.com:065",
    "example.com:+80",
    "example.com: 80",
    "example.com:65536",
  ];
  for (const text of [...wrong, "example.com:80:80", "example.com:0x50", "[::1]:80", ":80"]) {
    assert.equal(parseHostPort(text), null, text);
  }
});

test("isLocalhost: the name itself and names below it, none that only begins or ends like it", () => {
  const names = [
    "localhost",
    "a.localhost",
    "a.b.localhost",
    "alocalhost",
    "localhosts",
    "localhost.evil.test",
  ];
  const local = names.filter((text) => {
    const name = parseHostName(text);
    return name !== null && isLocalhost(name);
  });
  assert.deepEqual(local, names.slice(0, 3));
});

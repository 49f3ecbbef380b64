import assert from "node:assert/strict";
import { test } from "node:test";
import { runtimeSources } from "./sources.ts";

const sha256 = "a".repeat(64);
const url = (fields: object) => ({
  uv: [
    {
      from: "url",
      versions: { "0.9.9": { x64: { url: "https://mirror.example/uv.tar.gz", sha256, ...fields } } },
    },
  ],
});

test("the operator's sources take the place of Berth's own for the runtimes that they name", () => {
  const own = runtimeSources(null);
  assert.deepEqual(own.uv, []);
  const sources = runtimeSources(JSON.stringify({ ...url({ strip: 1 }), go: [] }));
  assert.deepEqual(sources.node, own.node);
  assert.deepEqual(sources.go, []);
  assert.deepEqual(sources.uv[0], {
    from: "url",
    versions: {
      "0.9.9": {
        x64: { url: "https://mirror.example/uv.tar.gz", sha256, strip: 1, programs: {}, hosts: [] },
      },
    },
  });
});

test("what is wrong in the operator's file is named", () => {
  const wrong: [unknown, RegExp][] = [
    ["{", /^must be valid JSON$/],
    [{ php: [] }, /php/],
    [{ uv: [{ from: "ftp" }] }, /^uv\.0\.from/],
    [url({ sha256: "short" }), /^uv\.0\.versions\.0\.9\.9\.x64\.sha256: must be 64 hexadecimal digits$/],
    [url({ url: "http://mirror.example/uv.tar.gz" }), /url: must be an https URL/],
    [url({ url: "https://me:secret@mirror.example/uv.tar.gz" }), /url: must not have a login/],
    [url({ programs: { uv: "../../bin/sh" } }), /must be a relative path without '\.\.'/],
    [url({ programs: { "a b": "uv" } }), /programs/],
    [
      { go: [{ from: "debian", suite: "trixie", packages: { "1.24": ["golang; id"] } }] },
      /must be the name of a package/,
    ],
    [
      { python: [{ from: "base", version: "3.13", programs: { python: "/etc/shadow" } }] },
      /must be a path in \/usr\/bin/,
    ],
  ];
  for (const [value, message] of wrong)
    assert.throws(
      () => runtimeSources(typeof value === "string" ? value : JSON.stringify(value)),
      (error: Error) =>
        message.test(error.message) || assert.fail(`${JSON.stringify(value)}: ${error.message}`),
    );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Encoding, inject, injectInHeader, UnencodableCredential } from "./inject.ts";
import { createRedactor } from "./redact.ts";
import { withTokenPrefix } from "./token-prefix.ts";

const token = (placeholder: string, value: string) => ({ placeholder, value, targets: [], anywhere: true });
const one = "berth0000000000000000000000000000001";
const two = "berth0000000000000000000000000000002";

const latin1 = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
const pieces = fc.array(fc.oneof(latin1, fc.constantFrom(one, two)), { maxLength: 8 });
const readers: Record<Exclude<Encoding, "header">, (text: string) => string> = {
  plain: (text) => text,
  json: (text) => JSON.parse(`"${text}"`),
  percent: (text) => Buffer.from(decodeURIComponent(text)).toString("latin1"),
  xml: (text) => text.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))),
};

test("inject: every placeholder → its value in an encoding that reads back as it; other text is unchanged", () => {
  fc.assert(
    fc.property(
      pieces,
      fc.string({ unit: "binary", minLength: 1 }),
      fc.constantFrom(...Object.keys(readers)),
      (parts, value, name) => {
        const encoding = name as keyof typeof readers;
        const credentials = [token(one, value), token(two, "second")];
        const filled = inject(parts.join("|"), credentials, encoding);
        const form = inject(one, credentials, encoding);
        assert.equal(readers[encoding](form), Buffer.from(value.toWellFormed()).toString("latin1"));
        assert.equal(
          filled,
          parts.map((part) => (part === one ? form : part === two ? "second" : part)).join("|"),
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

test("inject: text without a placeholder → unchanged", () => {
  fc.assert(
    fc.property(latin1, (text) => {
      fc.pre(!text.includes(one));
      assert.equal(inject(text, [token(one, "canary")], "plain"), text);
      assert.equal(injectInHeader("Authorization", `Basic ${text}`, [token(one, "canary")]), `Basic ${text}`);
    }),
  );
});

test("inject: a placeholder with any token prefix is replaced with its prefix", () => {
  for (const before of ["ghp_old", "github_pat_old", "plain", "npm_x", "sk-ant-y"]) {
    const inside = withTokenPrefix(before, one);
    assert.equal(inject(`Bearer ${inside}`, [token(one, "ghp_new")], "header"), "Bearer ghp_new");
  }
  assert.equal(withTokenPrefix("github_pat_11A_b", one), `github_pat_${one}`);
  assert.equal(withTokenPrefix("secret_1", one), one);
});

test("inject: a value that no header can carry → an error without the value", () => {
  for (const value of ["a\nb", "a\rb", "a\0b", "\x7f"]) {
    assert.throws(
      () => injectInHeader("X", one, [token(one, value)]),
      (error) => error instanceof UnencodableCredential && !error.message.includes(value),
    );
  }
  assert.equal(injectInHeader("X", one, [token(one, "é")]), Buffer.from("é").toString("latin1"));
});

test("inject: a Basic credential that a response has repeated, redacted, is sent back as it was", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary-ascii" }).filter((user) => !user.includes(":")),
      fc.stringMatching(/^(ghp_)?[0-9A-Za-z]{6,60}$/),
      (user, value) => {
        const credentials = [token(one, value)];
        const sent = `Basic ${Buffer.from(`${user}:${value}`).toString("base64")}`;
        const repeated = createRedactor(credentials).text(sent);
        assert.ok(repeated.includes(one) && repeated !== sent);
        assert.equal(injectInHeader("Authorization", repeated, credentials), sent);
      },
    ),
    { numRuns: 500 },
  );
});

test("redact: an injected value in any form that hosts repeat is redacted", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", minLength: 6, maxLength: 40 }),
      latin1,
      latin1,
      (value, before, after) => {
        fc.pre(value.isWellFormed() && Buffer.from(value).length >= 6);
        const credentials = [token(one, value)];
        const redactor = createRedactor(credentials);
        const bytes = Buffer.from(value);
        for (const form of [bytes.toString("latin1"), bytes.toString("hex"), encodeURIComponent(value)]) {
          const text = redactor.text(`${before}${form}${after}`);
          assert.ok(text.includes(one) && !text.includes(form) === !`${before}${after}`.includes(form));
        }
        const basic = Buffer.concat([Buffer.from(`${before}:`, "latin1"), bytes]).toString("base64");
        assert.ok(!Buffer.from(redactor.text(basic), "base64").includes(bytes));
      },
    ),
    { numRuns: 500 },
  );
});

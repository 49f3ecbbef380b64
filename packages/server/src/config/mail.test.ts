import assert from "node:assert/strict";
import { test } from "node:test";
import { mailOf } from "./mail.ts";
import { readConfig } from "./read-config.ts";

const of = (variables: Record<string, string>) => mailOf(readConfig({ HOME: "/nonexistent", ...variables }));
const URL = "smtps://berth:p%40ss@mail.example.com";

test("mail: the relay and the sender belong together", () => {
  assert.equal(of({}), null);
  const from = "Berth <berth@example.com>";
  assert.deepEqual(of({ BERTH_SMTP_URL: URL, BERTH_SMTP_FROM: from }), { url: URL, from });
  assert.throws(() => of({ BERTH_SMTP_URL: URL }), /^Error: BERTH_SMTP_URL needs BERTH_SMTP_FROM/);
  assert.throws(() => of({ BERTH_SMTP_FROM: from }), /^Error: BERTH_SMTP_FROM needs BERTH_SMTP_URL/);
  for (const wrong of ["http://mail.example.com", "smtp://", "smtp://mail/path", "smtp://%zz@mail"])
    assert.throws(() => of({ BERTH_SMTP_URL: wrong, BERTH_SMTP_FROM: from }), /BERTH_SMTP_URL/);
  for (const wrong of ["nobody", "a@b\nBcc: c@d", "a b@c"])
    assert.throws(() => of({ BERTH_SMTP_URL: URL, BERTH_SMTP_FROM: wrong }), /BERTH_SMTP_FROM/);
});

// Subject: the settings of the identity provider.
import assert from "node:assert/strict";
import { test } from "node:test";
import { oidcOf } from "./oidc.ts";
import { readConfig } from "./read-config.ts";

const ISSUER = { BERTH_OIDC_ISSUER: "https://login.example.com/realms/acme" };
const CLIENT = { BERTH_OIDC_CLIENT_ID: "berth" };
const MAPPING = { BERTH_OIDC_MAPPING: '[{"value":"staff","organization":"acme"}]' };

const of = (variables: Record<string, string>) => oidcOf(readConfig({ HOME: "/nonexistent", ...variables }));

test("oidc: none without an issuer; with one all that it takes", () => {
  assert.equal(of({}), null);
  assert.equal(of(MAPPING), null);
  assert.deepEqual(of({ ...ISSUER, ...CLIENT, ...MAPPING }), {
    issuer: "https://login.example.com/realms/acme",
    clientId: "berth",
    clientSecretFile: null,
    scopes: ["openid", "email", "profile"],
    claim: "groups",
    mapping: [{ value: "staff", organization: "acme", role: "member" }],
  });
});

test("oidc: what is missing is named", () => {
  assert.throws(() => of(ISSUER), /BERTH_OIDC_ISSUER needs BERTH_OIDC_CLIENT_ID/);
  assert.throws(() => of({ ...ISSUER, ...CLIENT }), /BERTH_OIDC_ISSUER needs BERTH_OIDC_MAPPING/);
  assert.throws(() => of(CLIENT), /BERTH_OIDC_CLIENT_ID needs BERTH_OIDC_ISSUER/);
  assert.throws(() => of({ BERTH_OIDC_CLIENT_SECRET_FILE: "x" }), /BERTH_OIDC_CLIENT_SECRET_FILE needs/);
});

test("oidc: issuers are https, or on this machine", () => {
  const issuer = (text: string) => of({ ...CLIENT, ...MAPPING, BERTH_OIDC_ISSUER: text })?.issuer;
  for (const text of [
    "https://a.example",
    "https://a.example/",
    "http://127.0.0.1:9000",
    "http://localhost/x",
  ])
    assert.equal(issuer(text), text);
  for (const text of [
    "http://a.example",
    "http://127.0.0.1.evil.example",
    "https://u:p@a.example",
    "https://a.example?x",
    "https://a.example#x",
    "a.example",
    "",
  ])
    assert.throws(() => issuer(text), /must be an https URL/, text);
});

test("oidc: a mapping has texts and roles, and nothing else", () => {
  const mapping = (list: unknown) => of({ ...ISSUER, ...CLIENT, BERTH_OIDC_MAPPING: JSON.stringify(list) });
  for (const [entry, clause] of [
    [{ organization: "acme" }, /\[0\]\.value must be a non-empty string/],
    [{ value: "", organization: "acme" }, /\[0\]\.value must be a non-empty string/],
    [{ value: "x" }, /\[0\]\.organization must be the name/],
    [{ value: "x", organization: "acme", role: "owner" }, /\[0\]\.role must be member or admin/],
    [{ value: "x", organization: "acme", scope: "*" }, /\[0\] has the unknown field scope/],
  ] as const)
    assert.throws(() => mapping([entry]), clause);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { VaultCredential } from "@berth/sdk";
import {
  changeOf,
  createBodyOf,
  EMPTY_CREDENTIAL,
  formOf,
  placeOf,
  titleOf,
  withoutSecret,
} from "./credential-form.ts";
import { readVaultSearch } from "./vault-search.ts";

const variable = {
  display_name: "Registry",
  auth: {
    type: "environment_variable",
    secret_name: "NPM_TOKEN",
    networking: { allowed_hosts: ["registry.example", "*.example.com"] },
  },
} as VaultCredential;

const bearer = {
  display_name: null,
  auth: { type: "static_bearer", mcp_server_url: "https://mcp.example/v1" },
} as VaultCredential;

test("a new variable has its hosts by lines, and its secret as it was typed", () => {
  const form = {
    ...EMPTY_CREDENTIAL,
    variable: " KEY ",
    secret: " a b\n",
    hosts: "a.example\n\n b.example ",
  };
  assert.deepEqual(createBodyOf(form), {
    auth: {
      type: "environment_variable",
      secret_name: "KEY",
      secret_value: " a b\n",
      networking: { allowed_hosts: ["a.example", "b.example"] },
    },
  });
});

test("a new bearer token has a name where one was typed", () => {
  const form = {
    ...EMPTY_CREDENTIAL,
    kind: "static_bearer" as const,
    name: "x",
    url: "https://a.example",
    secret: "t\n",
  };
  assert.deepEqual(createBodyOf(form), {
    display_name: "x",
    auth: { type: "static_bearer", mcp_server_url: "https://a.example", token: "t" },
  });
});

test("a change has only what differs, and a secret only if one was typed", () => {
  assert.deepEqual(changeOf(variable, formOf(variable)), {});
  assert.deepEqual(changeOf(bearer, formOf(bearer)), {});
  assert.deepEqual(changeOf(variable, { ...formOf(variable), secret: "new" }), {
    auth: { type: "environment_variable", secret_value: "new" },
  });
  assert.deepEqual(changeOf(variable, { ...formOf(variable), name: "", hosts: "registry.example" }), {
    display_name: null,
    auth: { type: "environment_variable", networking: { allowed_hosts: ["registry.example"] } },
  });
  assert.deepEqual(changeOf(bearer, { ...formOf(bearer), secret: "new" }), {
    auth: { type: "static_bearer", token: "new" },
  });
});

test("faults are placed at their fields", () => {
  const params = [
    "display_name",
    "auth.secret_name",
    "auth.networking.allowed_hosts[1]",
    "auth.token",
    "metadata",
  ];
  assert.deepEqual(params.map(placeOf), ["name", "variable", "hosts", "secret", ""]);
});

test("an example to copy has no secret", () => {
  const body = createBodyOf({ ...EMPTY_CREDENTIAL, variable: "KEY", secret: "hunter2", hosts: "a.example" });
  assert.ok(!JSON.stringify(withoutSecret(body)).includes("hunter2"));
  assert.ok(JSON.stringify(withoutSecret(body)).includes("KEY"));
  assert.deepEqual(withoutSecret({}), {});
});

test("a credential without a name is called what it is for", () => {
  assert.deepEqual([variable, bearer].map(titleOf), ["Registry", "https://mcp.example/v1"]);
});

test("an address of a vault is read, whatever stands in it", () => {
  assert.deepEqual(readVaultSearch({ tab: "api", archived: true, form: "vcred_01" }), {
    tab: "api",
    archived: true,
    form: "vcred_01",
  });
  assert.deepEqual(readVaultSearch({ tab: "credentials", archived: "yes", form: "<script>" }), {});
});

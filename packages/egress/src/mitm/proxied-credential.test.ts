import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseHostName } from "../names/host-name.ts";
import { type CredentialTarget, credentialsAt, credentialsFor } from "./proxied-credential.ts";

const credential = (...targets: CredentialTarget[]) => ({
  placeholder: "placeholder",
  value: "value",
  targets,
  anywhere: false,
});

/** Returns whether the credential of a target applies to a TLS connection, or a request on it. */
function isFor(
  target: CredentialTarget,
  host: string,
  port: number,
  path?: string,
  protocol: "tls" | "http" = "tls",
): boolean {
  const name = parseHostName(host);
  assert.ok(name !== null, host);
  const destination = { name, port, protocol };
  const credentials = [credential(target)];
  return path === undefined
    ? credentialsAt(credentials, destination).length === 1
    : credentialsFor(credentials, destination, path).length === 1;
}

const OTHER_HOSTS = [
  "api.example.evil.test",
  "api.examples",
  "api.exampl",
  "evilapi.example",
  "evil-api.example",
  "evil.api.example",
  "example",
  "api-example",
];

test("credential: a request without TLS → only that of a target that may be asked so", () => {
  const target = { host: "api.example" };
  for (const path of [undefined, "/"]) {
    assert.equal(isFor(target, "api.example", 80, path, "http"), false);
    assert.equal(isFor({ ...target, plaintext: true }, "api.example", 80, path, "http"), true);
    assert.equal(isFor(target, "api.example", 443, path), true);
  }
});

test("credential: a host that only begins or ends like the target → none, at any port", () => {
  for (const target of ["api.example", "api.example:8443"]) {
    for (const host of OTHER_HOSTS) {
      for (const port of [80, 443, 8443]) {
        assert.equal(isFor({ host: target }, host, port), false, `${target} at ${host}:${port}`);
        assert.equal(isFor({ host: target }, host, port, "/"), false, `${target} at ${host}:${port}/`);
      }
    }
  }
});

test("credential: a target with a port → that port alone; without one → 80 and 443", () => {
  const ports = [80, 443, 844, 8443, 18443, 44384];
  const at = (host: string) => ports.filter((port) => isFor({ host }, "api.example", port));
  assert.deepEqual(at("api.example:8443"), [8443]);
  assert.deepEqual(at("api.example"), [80, 443]);
});

test("credential: a path that only begins like the target's → none", () => {
  const target = { host: "api.example", path: "/acme/app" };
  const paths = [
    "/acme/app",
    "/acme/app/x",
    "/acme/app.git/info/refs?service=x",
    "/acme/apple",
    "/acme/app.gitx",
  ];
  const others = [
    "/acme/ap",
    "/acme",
    "/",
    "/x/acme/app",
    "/acme/app/../other",
    "/acme/app%2f..",
    "/ACME/app",
  ];
  const reached = [...paths, ...others].filter((path) => isFor(target, "api.example", 443, path));
  assert.deepEqual(reached, paths.slice(0, 3));
});

test("credential: any two names → for the one only if they are equal", () => {
  const label = fc.stringMatching(/^[a-z]{1,3}$/);
  const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
  const port = fc.constantFrom(null, 80, 443, 8443, 844);
  fc.assert(
    fc.property(host, port, host, fc.constantFrom(80, 443, 8443, 844), (target, only, dialled, at) => {
      const text = only === null ? target : `${target}:${only}`;
      const expected = target === dialled && (only === null ? at === 80 || at === 443 : only === at);
      assert.equal(isFor({ host: text }, dialled, at), expected);
      assert.equal(isFor({ host: text }, `${target}.${dialled}`, at), false);
      assert.equal(isFor({ host: text }, `${dialled}.${target}`, at), false);
    }),
    { numRuns: 1000 },
  );
});

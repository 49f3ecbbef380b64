import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "@berth/contract";
import type { RunRepository } from "../inputs/resource-store.ts";
import type { CredentialSettings, VaultVariable } from "./credential-store.ts";
import { insideValue, listSecrets, placeholderOf, proxiedCredential } from "./session-secrets.ts";

const PROVIDERS = [
  { host: "github.com", api: "https://api.github.com", token_env: ["GH_TOKEN", "FORGE_TOKEN"] },
  { host: "git.example", token_env: ["GH_TOKEN"] },
];

/** In these tests an envelope holds its secret in plain text. */
const unseal = (_location: unknown, envelope: Buffer) => envelope.toString();

function repository(url: string, secret: string | null): RunRepository {
  const type = "hosted_repository";
  const unfailed = {
    failure: null,
    failedAt: null,
    inputs: "",
    revision: 0,
    baseCommit: null,
    attempts: 0,
    failingMs: 0,
    retryInMs: null,
  };
  const common = { id: newUuid(), mountPath: "/data/one", ready: false, ...unfailed };
  const sealed = secret === null ? null : Buffer.from(secret);
  return {
    ...common,
    type,
    url,
    username: null,
    checkout: null,
    environmentFrom: null,
    isTokenDue: false,
    secret: sealed,
    snapshot: null,
  };
}

function variable(name: string, secret: string | null, archivedAt: Date | null = null): VaultVariable {
  const sealed = secret === null ? null : Buffer.from(secret);
  return { id: newUuid(), name, hosts: [`${name}.example`], secret: sealed, archivedAt };
}

const settings = (mode: CredentialSettings["mode"], ...variables: VaultVariable[]): CredentialSettings => ({
  mode,
  seed: "seed",
  variables,
});

test("names: two repositories of gh → each variable belongs to the repository whose token it holds", () => {
  const [own, hub, open] = [
    repository("https://git.example/a/b", "own"),
    repository("https://github.com/a/b", "hub"),
    repository("https://git.example/a/open", null),
  ];
  const listed = listSecrets(
    { settings: settings("inject"), repositories: [own, open, hub] },
    PROVIDERS,
    unseal,
  );
  assert.deepEqual(
    listed.map(({ resource, names }) => [resource, names.toSorted()]),
    [
      [own.id, ["GH_ENTERPRISE_TOKEN"]],
      [hub.id, ["FORGE_TOKEN", "GH_TOKEN"]],
    ],
  );
});

test("names: no secret has to be unsealed for them", () => {
  const fail = () => assert.fail("unsealed");
  const repositories = [repository("https://github.com/a/b", "hub")];
  const listed = listSecrets(
    { settings: settings("proxy", variable("KEY", null)), repositories },
    PROVIDERS,
    fail,
  );
  assert.deepEqual(listed.flatMap(({ names }) => names).toSorted(), ["FORGE_TOKEN", "GH_TOKEN", "KEY"]);
});

test("delivery: mode of the environment → repositories' secrets inside or proxied, vaults' always proxied", () => {
  const token = repository("https://github.com/a/b", "ghp_token");
  const key = variable("KEY", "value");
  for (const mode of ["inject", "proxy"] as const) {
    const listed = listSecrets({ settings: settings(mode, key), repositories: [token] }, PROVIDERS, unseal);
    const [ofVault, ofRepository] = listed;
    assert.ok(ofVault && ofRepository);
    const placeholder = placeholderOf("seed", token.id);
    assert.equal(insideValue(ofVault), placeholderOf("seed", key.id));
    assert.equal(insideValue(ofRepository), mode === "inject" ? "ghp_token" : `ghp_${placeholder}`);
    assert.deepEqual(
      [proxiedCredential(ofVault).anywhere, proxiedCredential(ofVault).value],
      [true, "value"],
    );
    assert.equal(proxiedCredential(ofRepository).anywhere, false);
  }
});

test("vaults: several variables of a name → the first that existed then and was not archived, unless a repository has the name", () => {
  const [archived, first, second, shadowed] = [
    variable("KEY", null, new Date(Date.now() + 60_000)),
    variable("KEY", "first"),
    variable("KEY", "second"),
    variable("GH_TOKEN", "shadowed"),
  ];
  const repositories = [repository("https://github.com/a/b", "hub")];
  const listedAt = (at?: number) => {
    const sources = { settings: settings("proxy", archived, first, second, shadowed), repositories };
    const listed = listSecrets({ ...sources, ...(at === undefined ? {} : { at }) }, PROVIDERS, unseal);
    return listed.filter(({ source }) => source === "vault");
  };
  const namesById = (at?: number) => listedAt(at).map(({ resource, names }) => [resource, names]);
  assert.deepEqual(namesById(), [
    [first.id, ["KEY"]],
    [shadowed.id, []],
  ]);
  assert.deepEqual(namesById(Date.now() + 30_000), [
    [archived.id, ["KEY"]],
    [shadowed.id, []],
  ]);
  assert.deepEqual(namesById(0), [], "none existed");
  const [past] = listedAt(Date.now() + 30_000);
  assert.throws(() => past?.value(), /archived/);
});

import assert from "node:assert/strict";
import { type AnyJson, type Api, assertError, type Json } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { makeAgent, makeEnvironment, makeSession } from "../harness/fixtures.ts";
import { sharedService } from "../harness/shared-service.ts";

const ABSENT_VAULT = "vault_01h00000000000000000000000";
const { berth, api } = await sharedService();

function makeVault(caller: Api = api, fields: Record<string, Json> = {}): Promise<AnyJson> {
  return caller.ok("POST", "/vaults", { display_name: "keys", ...fields });
}

const bearer = (url: string, token = "a-token") => ({
  auth: { type: "static_bearer", mcp_server_url: url, token },
});

const variable = (name: string, value = "a value") => ({
  auth: {
    type: "environment_variable",
    secret_name: name,
    secret_value: value,
    networking: { allowed_hosts: ["API.example.com"] },
  },
});

covers(["vault-crud"], "vault: create, read, list, update and archive", async () => {
  const vault = await makeVault(api, { metadata: { team: "blue", drop: "x" } });
  assert.match(vault.id, /^vault_[0-9a-hjkmnp-tv-z]{26}$/);
  assert.deepEqual(
    [vault.type, vault.display_name, vault.metadata, vault.archived_at],
    ["vault", "keys", { team: "blue", drop: "x" }, null],
  );
  assert.deepEqual(await api.ok("GET", `/vaults/${vault.id}`), vault);
  assert.deepEqual((await api.ok("GET", "/vaults?limit=1")).data, [vault]);
  const changed = await api.ok("POST", `/vaults/${vault.id}`, {
    display_name: "other",
    metadata: { drop: null, more: "y" },
  });
  assert.deepEqual([changed.display_name, changed.metadata], ["other", { team: "blue", more: "y" }]);
  const archived = await api.ok("POST", `/vaults/${vault.id}/archive`);
  assert.ok(archived.archived_at !== null);
  assert.deepEqual(await api.ok("POST", `/vaults/${vault.id}/archive`), archived);
  assertError(await api.post(`/vaults/${vault.id}`, { display_name: "x" }), 403, "permission_error");
  assertError(
    await api.post(`/vaults/${vault.id}/credentials`, bearer("https://mcp.example")),
    403,
    "permission_error",
  );
  assert.ok(!(await api.ok("GET", "/vaults")).data.some(({ id }: AnyJson) => id === vault.id));
  const all = (await api.ok("GET", "/vaults?include_archived=true")).data;
  assert.ok(all.some(({ id }: AnyJson) => id === vault.id));
});

covers(["vault-crud"], "vault: validation, access and scopes", async () => {
  assertError(await api.post("/vaults", {}), 400, "invalid_request_error", {
    param: "display_name",
    message: "Field 'display_name' is required.",
  });
  assertError(await api.post("/vaults", { display_name: "" }), 400, "invalid_request_error", {
    param: "display_name",
  });
  assertError(await api.post("/vaults", { display_name: "a", name: "b" }), 400, "invalid_request_error", {
    param: "name",
  });
  const { id } = await makeVault();
  const stranger = await berth.client({ user: "stranger@example.com" });
  for (const [method, path] of [
    ["GET", `/vaults/${id}`],
    ["POST", `/vaults/${id}`],
    ["DELETE", `/vaults/${id}`],
    ["POST", `/vaults/${id}/archive`],
    ["GET", `/vaults/${id}/credentials`],
  ] as const) {
    const body = method === "POST" && !path.endsWith("archive") ? {} : undefined;
    assertError(await stranger.call(method, path, body), 403, "permission_error");
    assertError(await stranger.call(method, path.replace(id, ABSENT_VAULT), body), 404, "not_found_error");
  }
  assert.ok(!(await stranger.ok("GET", "/vaults")).data.some((vault: AnyJson) => vault.id === id));
  const reader = await berth.client({ scopes: "vaults:read" });
  assert.equal((await reader.get(`/vaults/${id}`)).status, 200);
  assertError(await reader.post("/vaults", { display_name: "x" }), 403, "permission_error", {
    message: /vaults:write/,
  });
});

covers(
  ["vault-in-use", "session-vaults"],
  "delete vault: rejected with 409 while an active session uses it",
  async () => {
    const vault = await makeVault();
    const [one, two] = [
      await makeSession(api, { vault_ids: [vault.id] }),
      await makeSession(api, { vault_ids: [vault.id] }),
    ];
    assertError(await api.delete(`/vaults/${vault.id}`), 409, "conflict_error");
    await api.ok("POST", `/sessions/${one.id}/terminate`);
    assertError(await api.delete(`/vaults/${vault.id}`), 409, "conflict_error");
    await api.ok("POST", `/sessions/${two.id}/archive`);
    assert.deepEqual(await api.ok("DELETE", `/vaults/${vault.id}`), { id: vault.id, type: "vault_deleted" });
    assertError(await api.get(`/vaults/${vault.id}`), 404, "not_found_error");
    assert.deepEqual((await api.ok("GET", `/sessions/${one.id}`)).vault_ids, [vault.id]);
  },
);

covers(
  ["session-vaults"],
  "vault_ids: returned in order; invalid, unknown and inaccessible vaults are rejected",
  async () => {
    const vaults = [await makeVault(), await makeVault(), await makeVault()];
    const ids = [vaults[1]?.id, vaults[0]?.id];
    const session = await makeSession(api, { vault_ids: ids });
    assert.deepEqual(session.vault_ids, ids);
    assert.deepEqual((await api.ok("GET", `/sessions/${session.id}`)).vault_ids, ids);
    const agent = (await makeAgent(api)).id;
    const environment = (await makeEnvironment(api)).id;
    const create = (given: Json) =>
      api.post("/sessions", { agent, environment_id: environment, vault_ids: given });
    assertError(await create([ids[0], ids[0]]), 400, "invalid_request_error", { param: "vault_ids" });
    assertError(await create(["vlt_1"]), 400, "invalid_request_error", { param: "vault_ids[0]" });
    assertError(await create(Array.from({ length: 17 }, () => ABSENT_VAULT)), 400, "invalid_request_error", {
      param: "vault_ids",
    });
    assertError(await create([ABSENT_VAULT]), 404, "not_found_error", { message: /Vault 'vault_/ });
    const foreign = await makeVault(await berth.client({ user: "foreign@example.com" }));
    assertError(await create([ids[0], foreign.id]), 403, "permission_error");
    assertError(await create([foreign.id, ABSENT_VAULT]), 404, "not_found_error");
    await api.ok("POST", `/vaults/${vaults[2]?.id}/archive`);
    assertError(await create([vaults[2]?.id]), 409, "conflict_error", { message: /archived/ });
  },
);

covers(["session-vault-resource"], "vault among resources: becomes one of the vault_ids", async () => {
  const [one, two] = [(await makeVault()).id, (await makeVault()).id];
  const url = "https://github.com/octocat/Hello-World";
  const session = await makeSession(api, {
    vault_ids: [one],
    resources: [
      { type: "vault", vault_id: two },
      { type: "hosted_repository", url },
    ],
  });
  assert.deepEqual(session.vault_ids, [one, two]);
  assert.deepEqual(
    session.resources.map(({ type }: AnyJson) => type),
    ["hosted_repository"],
  );
  assertError(await api.delete(`/vaults/${two}`), 409, "conflict_error");
  const agent = (await makeAgent(api)).id;
  const environment_id = (await makeEnvironment(api)).id;
  const create = (resources: Json[], vault_ids: Json[] = []) =>
    api.post("/sessions", { agent, environment_id, resources, vault_ids });
  const vault = { type: "vault", vault_id: two };
  const param = "resources[0].vault_id";
  assertError(await create([vault], [two]), 400, "invalid_request_error", { param, message: /given twice/ });
  assertError(await create([vault, vault]), 400, "invalid_request_error", { param: "resources[1].vault_id" });
  assertError(await create([{ type: "vault" }]), 400, "invalid_request_error", {
    param,
    message: "Field 'resources[0].vault_id' is required.",
  });
  assertError(await create([{ ...vault, mount_path: "/data/x" }]), 400, "invalid_request_error", {
    param: "resources[0].mount_path",
  });
  assertError(await create([{ type: "vault", vault_id: ABSENT_VAULT }]), 404, "not_found_error");
  const foreign = await makeVault(await berth.client({ user: "foreign@example.com" }));
  assertError(await create([{ type: "vault", vault_id: foreign.id }]), 403, "permission_error");
  assertError(await api.post(`/sessions/${session.id}/resources`, vault), 400, "invalid_request_error", {
    message: "Field 'type' must be 'file'.",
  });
});

covers(
  ["vault-credentials", "vault-secret"],
  "credentials: both types are returned without their secrets",
  async () => {
    const { id: vault } = await makeVault();
    const path = `/vaults/${vault}/credentials`;
    const token = await api.post(path, {
      display_name: "search",
      metadata: { a: "b" },
      ...bearer("https://mcp.example/mcp", "canary-one"),
    });
    assert.match(token.body.id, /^vcred_[0-9a-hjkmnp-tv-z]{26}$/);
    const { id, created_at: created, updated_at: updated, ...rest } = token.body;
    assert.equal(created, updated);
    assert.deepEqual(rest, {
      type: "vault_credential",
      vault_id: vault,
      display_name: "search",
      metadata: { a: "b" },
      auth: { type: "static_bearer", mcp_server_url: "https://mcp.example/mcp" },
      archived_at: null,
    });
    const secret = await api.post(path, variable("API_KEY", "canary-two"));
    assert.deepEqual(secret.body.auth, {
      type: "environment_variable",
      secret_name: "API_KEY",
      networking: { allowed_hosts: ["api.example.com"] },
    });
    assert.deepEqual(await api.ok("GET", `${path}/${id}`), token.body);
    assert.deepEqual((await api.ok("GET", path)).data, [secret.body, token.body]);
    const rotated = await api.post(`${path}/${id}`, {
      auth: { type: "static_bearer", token: "canary-three" },
    });
    assert.equal(rotated.status, 200);
    for (const response of [token, secret, rotated, await api.get(path), await api.get(`/vaults/${vault}`)]) {
      assert.ok(!JSON.stringify(response.body).includes("canary"));
    }
    assert.ok(!berth.log.includes("canary"));
  },
);

covers(
  ["vault-credentials"],
  "credentials: unique for each server and variable name, at most twenty",
  async () => {
    const { id: vault } = await makeVault();
    const path = `/vaults/${vault}/credentials`;
    const same = await Promise.all(
      Array.from({ length: 4 }, () => api.post(path, bearer("https://a.example/"))),
    );
    assert.deepEqual(same.map(({ status }) => status).sort(), [200, 409, 409, 409]);
    for (const response of same.filter(({ status }) => status === 409)) {
      assertError(response, 409, "conflict_error", { param: "auth.mcp_server_url" });
    }
    await api.ok("POST", path, variable("A"));
    assertError(await api.post(path, variable("A")), 409, "conflict_error", { param: "auth.secret_name" });
    const more = await Promise.all(Array.from({ length: 20 }, (_, n) => api.post(path, variable(`N${n}`))));
    assert.equal(more.filter(({ status }) => status === 200).length, 18);
    for (const response of more.filter(({ status }) => status !== 200))
      assertError(response, 409, "conflict_error");
  },
);

covers(["vault-credentials"], "create credential: invalid ones are rejected with 400", async () => {
  const { id: vault } = await makeVault();
  const cases: [Json, string][] = [
    [{}, "auth"],
    [{ auth: {} }, "auth.type"],
    [{ auth: { type: "mcp_oauth" } }, "auth.type"],
    [{ auth: { type: "static_bearer", mcp_server_url: "https://a.example" } }, "auth.token"],
    [bearer("https://a.example", "two words"), "auth.token"],
    [bearer("ftp://a.example"), "auth.mcp_server_url"],
    [bearer("https://user@a.example"), "auth.mcp_server_url"],
    [bearer("https://a.example/#x"), "auth.mcp_server_url"],
    [variable("1A"), "auth.secret_name"],
    [variable("PATH"), "auth.secret_name"],
    [variable("A", ""), "auth.secret_value"],
    [{ auth: { ...variable("A").auth, networking: { allowed_hosts: [] } } }, "auth.networking.allowed_hosts"],
    [
      { auth: { ...variable("A").auth, networking: { allowed_hosts: ["10.0.0.1"] } } },
      "auth.networking.allowed_hosts[0]",
    ],
    [{ ...bearer("https://a.example"), name: "x" }, "name"],
  ];
  for (const [body, param] of cases) {
    assertError(await api.post(`/vaults/${vault}/credentials`, body), 400, "invalid_request_error", {
      param,
    });
  }
});

covers(
  ["vault-credential-update"],
  "update credential: secret, name, metadata and hosts; type and target are fixed",
  async () => {
    const { id: vault } = await makeVault();
    const path = `/vaults/${vault}/credentials`;
    const made = await api.ok("POST", path, variable("KEY"));
    const change = (body: Json) => api.post(`${path}/${made.id}`, body);
    const { body: changed } = await change({
      display_name: "new",
      metadata: { a: "b" },
      auth: { type: "environment_variable", networking: { allowed_hosts: ["b.example"] } },
    });
    assert.deepEqual(
      [changed.display_name, changed.metadata, changed.auth.networking.allowed_hosts],
      ["new", { a: "b" }, ["b.example"]],
    );
    assert.deepEqual((await change({})).body, changed);
    const rename = { auth: { type: "environment_variable", secret_name: "OTHER" } };
    assertError(await change(rename), 400, "invalid_request_error", { param: "auth.secret_name" });
    assertError(await change({ auth: { type: "static_bearer", token: "x" } }), 400, "invalid_request_error", {
      param: "auth.type",
    });
    assertError(
      await api.post(`${path}/vcred_01h00000000000000000000000`, { display_name: "x" }),
      404,
      "not_found_error",
      { message: /Credential/ },
    );
    const { id: other } = await makeVault();
    assertError(await api.get(`/vaults/${other}/credentials/${made.id}`), 404, "not_found_error");
  },
);

covers(["vault-credential-end"], "credentials: archive and delete", async () => {
  const { id: vault } = await makeVault();
  const path = `/vaults/${vault}/credentials`;
  const [one, two] = [
    await api.ok("POST", path, variable("ONE")),
    await api.ok("POST", path, variable("TWO")),
  ];
  const archived = await api.ok("POST", `${path}/${one.id}/archive`);
  assert.ok(archived.archived_at !== null);
  assertError(await api.post(`${path}/${one.id}`, { display_name: "x" }), 403, "permission_error");
  const again = await api.ok("POST", path, variable("ONE"));
  assert.deepEqual(await api.ok("DELETE", `${path}/${two.id}`), {
    id: two.id,
    type: "vault_credential_deleted",
  });
  assertError(await api.get(`${path}/${two.id}`), 404, "not_found_error");
  const ids = async (query = "") =>
    (await api.ok("GET", path + query)).data.map((credential: AnyJson) => credential.id);
  assert.deepEqual(await ids(), [again.id]);
  assert.deepEqual(await ids("?include_archived=true"), [again.id, one.id]);
  await api.ok("POST", `/vaults/${vault}/archive`);
  assert.deepEqual(await ids(), []);
  assert.ok((await api.ok("GET", `${path}/${again.id}`)).archived_at !== null);
  assertError(await api.post(`${path}/${again.id}`, {}), 403, "permission_error");
});

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { type AnyJson, assertError, type Json } from "../harness/api.ts";
import { covers } from "../harness/covers.ts";
import { sharedGitService } from "../harness/shared-service.ts";

const ABSENT = "conn_01h00000000000000000000000";
const { host, berth, api } = await sharedGitService();
for (const name of ["widget", "gadget", "widget-tools"])
  await host.createRepository({ org: "acme", name, private: true, files: { "README.md": "# Hello\n" } });
const token = host.createToken({ user: "robot", permissions: "write" });

/** Makes a connection by a token and GitHub's API. */
function make(fields: Record<string, Json> = {}): Promise<AnyJson> {
  const auth = { type: "token", api: "github", token };
  return api.ok("POST", "/connections", { display_name: "Acme", url: host.url, auth, ...fields });
}

function appAuth(key: string, installation_id: string, app_id: string) {
  return { type: "github_app", app_id, installation_id, private_key: key };
}

covers(["connection-crud"], "connections: made, read, listed, changed and deleted", async () => {
  const made = await make({
    auth: { type: "token", api: "github", username: "robot", token },
    metadata: { team: "blue" },
  });
  assert.match(made.id, /^conn_[0-9a-hjkmnp-tv-z]{26}$/);
  const { created_at, updated_at, owner_id, id, ...rest } = made;
  assert.deepEqual(rest, {
    ...{ type: "connection", display_name: "Acme", url: host.url, api_url: `${host.url}/api/v3` },
    ...{ auth: { type: "token", api: "github", username: "robot" }, metadata: { team: "blue" } },
    ...{ owner_type: "user", hosted: true },
  });
  assert.deepEqual(await api.ok("GET", `/connections/${id}`), made);
  assert.deepEqual((await api.ok("GET", "/connections?limit=1")).data, [made]);
  assert.equal((await make({ url: "https://elsewhere.example.com" })).hosted, false);
  const changed = await api.ok("POST", `/connections/${id}`, { display_name: "Other", metadata: null });
  assert.deepEqual([changed.display_name, changed.metadata], ["Other", {}]);
  assert.deepEqual(await api.ok("POST", `/connections/${id}`, {}), changed);
  const other = host.createToken({ user: "other", permissions: "read" });
  await api.ok("POST", `/connections/${id}`, { auth: { type: "token", token: other } });
  const { message } = await api.ok("POST", `/connections/${id}/test`);
  assert.equal(message, `${host.host} accepts the token of 'other'.`);
  assert.deepEqual(await api.ok("DELETE", `/connections/${id}`), { id, type: "connection_deleted" });
  assertError(await api.get(`/connections/${id}`), 404, "not_found_error");
  const account = await berth.client({ kind: "sat", user: "robot@example.com" });
  const auth = { type: "gitlab", token: "a-token" };
  const shared = await account.ok("POST", "/connections", { display_name: "x", auth });
  assert.deepEqual(
    [shared.owner_type, shared.url, shared.api_url],
    ["organization", "https://gitlab.com", "https://gitlab.com/api/v4"],
  );
  assert.equal((await api.get(`/connections/${shared.id}`)).status, 200);
});

covers(
  ["connection-crud"],
  "connections: an admin makes one of the organization, which all members use, and nobody else can",
  async () => {
    const [org, auth] = ["owned-connections", { type: "token", api: "github", token }];
    const admin = await berth.client({ org, user: "admin@owned.example.com", role: "admin" });
    const member = await berth.client({ org, user: "member@owned.example.com" });
    const body = { display_name: "Acme", url: host.url, auth, owner_type: "organization" };
    const refused = await member.call("POST", "/connections", body);
    assertError(refused, 403, "permission_error", {
      message: "Only an admin of the organization can create a connection for all its members.",
    });
    assert.deepEqual((await member.ok("GET", "/connections")).data, []);
    const made = await admin.ok("POST", "/connections", body);
    const { organization } = await admin.ok("GET", "/whoami");
    assert.deepEqual([made.owner_type, made.owner_id], ["organization", organization.id]);
    assert.deepEqual((await member.ok("GET", "/connections")).data, [made]);
    const { data } = await member.ok("GET", `/connections/${made.id}/repositories?query=gadget`);
    assert.deepEqual(
      data.map(({ full_name }: AnyJson) => full_name),
      ["acme/gadget"],
    );
    const own = await member.ok("POST", "/connections", { ...body, owner_type: "user" });
    assert.equal((await admin.get(`/connections/${own.id}`)).status, 200, "an admin sees all");
    assert.equal(own.owner_type, "user");
    for (const [method, body] of [
      ["POST", { auth: { type: "token", token: "another" } }],
      ["DELETE", undefined],
    ] as const)
      assertError(await member.call(method, `/connections/${made.id}`, body), 403, "permission_error", {
        message: "Only an admin of the organization can change a connection that all its members use.",
      });
    assert.deepEqual(await admin.ok("GET", `/connections/${made.id}`), made);
    await admin.ok("DELETE", `/connections/${made.id}`);
  },
);

covers(["connection-crud"], "connections: the address of each type, and what its API's follows", async () => {
  const privateKey = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const own = "https://git.example.com:8443";
  const types: [AnyJson, string | null, string, string][] = [
    [appAuth(key, "1", "Iv1.ab"), null, "https://github.com", "https://api.github.com"],
    [appAuth(key, "1", "12"), own, own, `${own}/api/v3`],
    [{ type: "gitlab", token: "x" }, own, own, `${own}/api/v4`],
    [{ type: "gitea", username: "u", password: "x" }, own, own, `${own}/api/v1`],
    [
      { type: "bitbucket", workspace: "acme", token: "x" },
      null,
      "https://bitbucket.org",
      "https://api.bitbucket.org/2.0",
    ],
  ];
  for (const [auth, url, shownUrl, apiUrl] of types) {
    const made = await api.ok("POST", "/connections", { display_name: "x", url, auth });
    assert.deepEqual([made.url, made.api_url], [shownUrl, apiUrl]);
    const { private_key: _key, token: _token, password: _password, ...shown } = auth;
    assert.deepEqual(made.auth, shown);
  }
  const elsewhere = await api.ok("POST", "/connections", {
    ...{ display_name: "x", url: "https://octo.ghe.com", api_url: "https://api.octo.ghe.com/" },
    auth: { type: "token", api: "github", token: "x" },
  });
  assert.equal(elsewhere.api_url, "https://api.octo.ghe.com");
  const plain = await api.ok("POST", "/connections", {
    ...{ display_name: "x", url: own, auth: { type: "token", token: "x" } },
  });
  assert.deepEqual([plain.api_url, plain.auth], [null, { type: "token", api: null, username: null }]);
});

covers(
  ["connection-bad-input"],
  "connections: what is wrong is said in a sentence, and nothing is stored",
  async () => {
    const count = async () => (await api.ok("GET", "/connections?limit=100")).data.length;
    const before = await count();
    const auth = { type: "token", token: "x" };
    const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    const wrong: [AnyJson, string, string | RegExp][] = [
      [{ auth: appAuth("no key", "1", "1") }, "auth.private_key", /must be an RSA private key in PEM form/],
      [
        { auth: appAuth(ec.export({ type: "pkcs8", format: "pem" }).toString(), "1", "1") },
        "auth.private_key",
        /must be an RSA private key/,
      ],
      [{ auth: appAuth("x", "abc", "1") }, "auth.installation_id", /the number of an installation/],
      [{ auth }, "url", "Field 'url' is required."],
      [{ auth: { type: "gitea", username: "a", password: "b" } }, "url", "Field 'url' is required."],
      [{ url: "http://git.example.com", auth }, "url", /This installation does not allow http/],
      [{ url: "https://user@git.example.com", auth }, "url", /of the form 'https:\/\/<host>'/],
      [{ url: "https://git.example.com:99999", auth }, "url", "Field 'url' must be an https URL."],
      [
        { url: "https://git.example.com", api_url: "http://api.example.com", auth },
        "api_url",
        /does not allow http/,
      ],
      [{ auth: { type: "svn", token: "x" } }, "auth.type", /auth.type/],
      [
        { auth: { type: "gitea", username: "a:b", password: "b" }, url: "https://a.example" },
        "auth.username",
        /colon/,
      ],
      [{ auth: { ...auth, token: "a\nb" }, url: "https://a.example" }, "auth.token", /control characters/],
    ];
    for (const [body, param, message] of wrong) {
      const response = await api.post("/connections", { display_name: "x", ...body });
      assertError(response, 400, "invalid_request_error", { param, message });
    }
    assert.equal(await count(), before);
    const { id } = await make();
    assertError(
      await api.post(`/connections/${id}`, { auth: { type: "gitlab", token: "x" } }),
      400,
      "invalid_request_error",
      { param: "auth.type", message: "Field 'auth.type' must be 'token'." },
    );
    assertError(
      await api.post(`/connections/${id}`, { url: "https://a.example" }),
      400,
      "invalid_request_error",
      {
        param: "url",
      },
    );
  },
);

covers(["connection-crud"], "connections: access and scopes", async () => {
  const { id } = await make();
  const stranger = await berth.client({ user: "stranger@example.com" });
  for (const [method, path] of [
    ["GET", ""],
    ["POST", ""],
    ["DELETE", ""],
    ["POST", "/test"],
    ["GET", "/repositories"],
    ["GET", "/branches?repository=acme/widget"],
  ] as const) {
    const body = method === "POST" && path === "" ? {} : undefined;
    assertError(await stranger.call(method, `/connections/${id}${path}`, body), 403, "permission_error");
    assertError(await stranger.call(method, `/connections/${ABSENT}${path}`, body), 404, "not_found_error");
  }
  const listed = await stranger.ok("GET", "/connections");
  assert.ok(!listed.data.some((one: AnyJson) => one.id === id));
  const reader = await berth.client({ scopes: "connections:read" });
  assert.equal((await reader.get(`/connections/${id}`)).status, 200);
  assertError(await reader.post(`/connections/${id}/test`), 403, "permission_error", {
    message: /connections:write/,
  });
});

covers(["connection-test"], "test: one sentence for each fault of a host and of a credential", async () => {
  const test = async (fields: AnyJson) => {
    const { id } = await make(fields);
    return await api.ok("POST", `/connections/${id}/test`);
  };
  assert.deepEqual(await test({}), { ok: true, message: `${host.host} accepts the token of 'robot'.` });
  const app = host.apps.create();
  const installation = host.apps.install({ app, account: "acme" });
  assert.deepEqual(await test({ auth: appAuth(app.privateKey, installation, app.id) }), {
    ok: true,
    message: `${host.host} accepts the app, which is installed for 'acme'.`,
  });
  const failing: [AnyJson, RegExp][] = [
    [{ auth: { type: "token", api: "github", token: "wrong" } }, /rejects the connection's credential\.$/],
    [
      { auth: appAuth(host.apps.create().privateKey, installation, app.id) },
      /rejects the app's id or its private key\.$/,
    ],
    [{ auth: appAuth(app.privateKey, "777", app.id) }, /installation 777 is gone from/],
    [{ auth: { type: "token", token: "x" } }, /does not say by which API/],
    [{ url: "https://no-such-host.invalid" }, /^The name no-such-host\.invalid does not resolve\.$/],
    [{ url: "https://localhost:1" }, /^The address of localhost:1 is not allowed by this installation\.$/],
    [{ api_url: `${host.url}/nothing/here` }, /does not find what the connection asks for\.$/],
  ];
  for (const [fields, message] of failing) {
    const { ok, message: told } = await test(fields);
    assert.equal(ok, false);
    assert.match(told, message);
    assert.match(told, /^[^\n]+\.$/);
    assert.ok(!told.includes(token));
  }
});

covers(
  ["connection-repositories"],
  "connections: repositories by a part of their name, page by page, and branches",
  async () => {
    const { id } = await make();
    const list = async (query: string) => await api.ok("GET", `/connections/${id}/repositories?${query}`);
    const names = (page: AnyJson) => page.data.map(({ full_name }: AnyJson) => full_name);
    const all = await list("");
    assert.deepEqual(names(all), ["acme/widget", "acme/gadget", "acme/widget-tools"]);
    assert.deepEqual(all.data[0], {
      ...{ full_name: "acme/widget", url: `${host.url}/acme/widget`, default_branch: "main", private: true },
    });
    assert.deepEqual([all.has_more, all.next_page], [false, null]);
    assert.deepEqual(names(await list("query=WIDGET")), ["acme/widget", "acme/widget-tools"]);
    assert.deepEqual(names(await list("query=none")), []);
    const first = await list("query=widget&limit=1");
    assert.deepEqual([names(first), first.has_more], [["acme/widget"], true]);
    const second = await list(`query=widget&limit=1&page=${first.next_page}`);
    assert.deepEqual([names(second), second.has_more], [["acme/widget-tools"], false]);
    assertError(
      await api.get(`/connections/${id}/repositories?page=${first.next_page}`),
      400,
      "invalid_request_error",
      { param: "page" },
    );
    const branches = await api.ok("GET", `/connections/${id}/branches?repository=acme/widget`);
    assert.deepEqual(branches.data, [{ name: "main", sha: await host.head("acme", "widget", "main") }]);
    for (const repository of ["widget", "acme/../x", "acme/./x", "a b/c", "acme/x?y"]) {
      const query = new URLSearchParams({ repository });
      assertError(await api.get(`/connections/${id}/branches?${query}`), 400, "invalid_request_error", {
        param: "repository",
      });
    }
    assertError(await api.get(`/connections/${id}/branches?repository=acme/none`), 409, "conflict_error", {
      message: "The connection does not reach the repository 'acme/none'.",
    });
    const wrong = await make({ auth: { type: "token", api: "github", token: "wrong" } });
    assertError(await api.get(`/connections/${wrong.id}/repositories`), 409, "conflict_error", {
      message: `${host.host} rejects the connection's credential.`,
    });
  },
);

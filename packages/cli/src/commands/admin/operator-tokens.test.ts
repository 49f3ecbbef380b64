// Subject: the operator's commands, and which service they act on.
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { berth } from "../../../test-support/berth.ts";
import { type Installation, startInstallation } from "../../../test-support/installation.ts";

let service: Installation;
let env: Record<string, string>;
let tokenFile: string;
before(async () => {
  service = await startInstallation();
  const args = ["bootstrap", "--operator", "provisioning", "--data-dir", service.dataDir];
  const { stdout } = await berth(args);
  assert.match(stdout, /^berth_operator_\w{46}\n$/);
  env = { BERTH_URL: service.url, BERTH_TOKEN: stdout.trim() };
  tokenFile = join(service.dir, "operator.token");
  await writeFile(tokenFile, stdout);
  await chmod(tokenFile, 0o600);
});
after(() => service.stop());

/** Returns the output of a command that must succeed. */
async function admin(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await berth(["admin", ...args], { env });
  assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  return stdout;
}

test("admin: every command, and lists in every format", async () => {
  assert.match(await admin("organizations", "create", "Acme"), /^org_\w+\n$/);
  assert.match(await admin("organizations", "create", "another"), /^org_\w+\n$/);
  assert.match(await admin("users", "create", "ada@example.com", "--org", "Acme"), /^usr_\w+\n$/);
  await admin("users", "create", "bob@example.com", "--org", "Acme", "--role", "admin");
  await admin("users", "set-role", "bob@example.com", "member");
  await admin("users", "disable", "bob@example.com", "--yes");
  const { data: users } = JSON.parse(await admin("users", "list", "--org", "Acme", "--json"));
  assert.deepEqual(
    users.map((user: Record<string, unknown>) => [user.email, user.role, user.disabled_at === null]),
    [
      ["ada@example.com", "member", true],
      ["bob@example.com", "member", false],
    ],
  );
  await admin("service-accounts", "create", "ci", "--org", "Acme");
  await admin("service-accounts", "disable", "ci", "--org", "Acme", "--yes");
  await admin("organizations", "rename", "Acme", "acme");
  const token = await admin("tokens", "create", "--user", "ada@example.com", "--scopes", "agents:read");
  assert.match(token, /^berth_pat_\w+\n$/);
  await admin("service-accounts", "enable", "ci", "--org", "acme");
  const terms = ["--service-account", "ci", "--org", "acme", "--name", "nightly", "--expires-in", "60"];
  const made = JSON.parse(await admin("tokens", "create", ...terms, "--json"));
  assert.deepEqual([made.kind, made.name, made.scopes], ["sat", "nightly", ["*"]]);
  assert.ok(Date.parse(made.expires_at) - Date.parse(made.created_at) > 50_000);
  await admin("limits", "set", "--org", "acme", "open_sessions=none", "file_bytes=5");
  await admin("retention", "set", "--org", "acme", "files=none", "events=3", "--yes");
  const erasure = JSON.parse(await admin("erase", "--user", "bob@example.com", "--yes", "--json"));
  const lists = [
    ["organizations", "list"],
    ["users", "list"],
    ["users", "list", "--org", "acme"],
    ["service-accounts", "list", "--org", "acme"],
    ["operator-tokens", "list"],
    ["tokens", "list", "--org", "acme"],
    ["tokens", "list", "--user", "ada@example.com"],
    ["limits", "get", "--org", "acme"],
    ["limits", "get", "--user", "ada@example.com"],
    ["retention", "get", "--org", "acme"],
    ["erasures", "list"],
    ["erasures", "get", erasure.id],
    ["audit", "--org", "acme", "--limit", "5"],
    ["audit", "--operation", "adminUsers", "--all"],
  ];
  for (const [nth, args] of lists.entries()) {
    const format = /limits|retention/.test(args[0] ?? "") ? "json" : ["table", "json", "id"][nth % 3];
    assert.notEqual(await admin(...args, "-o", format ?? ""), "", `${args.join(" ")} ${format}`);
  }
  const hosts = JSON.parse(await admin("hosts", "--json")).data;
  assert.match(await admin("hosts"), /ROLE +VERSION +LOAD.*\n.* all +\S+ +0\/\d+ /);
  const [, drained] = [await admin("hosts", "drain", hosts[0].id), await admin("hosts", "--json")];
  assert.equal(JSON.parse(drained).data[0].draining, true);
  await admin("hosts", "drain", hosts[0].id, "--cancel");
});

test("admin: with the token of an admin, their own organization needs no name", async () => {
  const own = [
    "--user",
    "boss@example.com",
    "--data-dir",
    service.dataDir,
    "--role",
    "admin",
    "--org",
    "owned",
  ];
  const { stdout: token } = await berth(["bootstrap", ...own]);
  const asAdmin = { BERTH_URL: service.url, BERTH_TOKEN: token.trim() };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await berth(["admin", ...args], { env: asAdmin });
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };
  await run("users", "create", "eve@owned.example.com");
  const { data } = JSON.parse(await run("users", "list", "--json"));
  assert.deepEqual(
    data.map(({ email, organization }: Record<string, string>) => [email, organization]),
    [
      ["boss@example.com", "owned"],
      ["eve@owned.example.com", "owned"],
    ],
  );
  await run("service-accounts", "create", "robot");
  const made = JSON.parse(
    await run("tokens", "create", "--service-account", "robot", "--independent", "--json"),
  );
  assert.deepEqual([made.kind, made.independent, made.name], ["sat", true, "made by an admin"]);
  assert.match(await run("tokens", "list"), /robot +sat +made by an admin/);
  assert.equal(
    await run("tokens", "revoke", made.id, "--yes"),
    `The token ${made.id} is revoked, and 0 that were created with it.\n`,
  );
  await run("service-accounts", "disable", "robot", "--yes");
  await run("service-accounts", "enable", "robot");
  await run("retention", "set", "files=90", "--yes");
  assert.match(await run("retention", "get"), /files +90 +own/);
  assert.match(await run("limits", "get"), /open_sessions/);
  const rows = (await run("audit", "--format", "csv", "--operation", "adminRetention"))
    .trimEnd()
    .split("\r\n");
  assert.deepEqual([rows.length, rows[0]?.startsWith("id,created_at,")], [2, true]);
  const lines = await run("audit", "--format", "jsonl", "--operation", "adminTokens");
  assert.equal(lines.trimEnd().split("\n").length, 2);
  const refused = await berth(["admin", "users", "set-role", "boss@example.com", "member"], { env: asAdmin });
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^error: 'boss@example\.com' is the only admin of the organization\./);
});

test("admin: what is named and is not there is told in one sentence", async () => {
  for (const [args, said] of [
    [["users", "list", "--org", "nobody"], "There is no organization 'nobody'."],
    [["users", "disable", "nobody@example.com", "--yes"], "There is no user 'nobody@example.com'."],
    [
      ["service-accounts", "enable", "none", "--org", "default"],
      "The organization has no service account 'none'.",
    ],
    [["hosts", "forget", "none", "--yes"], "There is no host 'none'."],
    [
      ["sessions", "release", "sess_01zzzzzzzzzzzzzzzzzzzzzzzz"],
      "Session 'sess_01zzzzzzzzzzzzzzzzzzzzzzzz' does not exist.",
    ],
  ] as const) {
    const { code, stdout, stderr } = await berth(["admin", ...args, "--quiet"], { env });
    assert.deepEqual([code, stdout], [1, ""], args.join(" "));
    assert.ok(stderr.startsWith(`error: ${said}`), stderr);
  }
  const { stderr } = await berth(["admin", "hosts", "forget", "none", "--yes"], { env });
  assert.match(stderr, /error: There is no host 'none'\.\n +type: not_found_error/);
});

test("admin: the service is found as for other commands, and a token that is not enough is refused by it", async (t) => {
  const run = (args: string[], variables: Record<string, string>) =>
    berth(["admin", "operator-tokens", "list", ...args], { env: variables });
  const BERTH_TOKEN = env.BERTH_TOKEN ?? "";
  for (const [args, variables] of [
    [["--url", service.url, "--token-file", tokenFile], {}],
    [["--data-dir", service.dataDir], { BERTH_TOKEN }],
    [[], { BERTH_DATA_DIR: service.dataDir, BERTH_TOKEN_FILE: tokenFile }],
  ] as const) {
    const { code, stderr } = await run([...args], variables);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  }
  const config = await mkdtemp(join(service.dir, "config-"));
  t.after(() => rm(config, { recursive: true }));
  const home = { XDG_CONFIG_HOME: config };
  const login = ["login", service.url, "--name", "ops", "--token-file", tokenFile];
  const { stdout: told } = await berth(login, { env: home });
  assert.match(told, /as context 'ops'[\s\S]*for 'berth admin'\n$/);
  assert.equal((await run(["--context", "ops"], home)).code, 0);
  const pat = service.env.BERTH_TOKEN ?? "";
  for (const [code, args, variables, complaint] of [
    [2, [], { BERTH_URL: service.url, BERTH_TOKEN_FILE: "/nowhere" }, /'\/nowhere'/],
    [4, ["--url", service.url], {}, /No token is set\..* berth bootstrap/],
    [4, ["--url", service.url], { BERTH_TOKEN: pat }, /Only operator tokens have it\./],
    [2, [], { BERTH_TOKEN }, /No service is set/],
    [2, ["--url", "nowhere"], { BERTH_TOKEN }, /URL is not valid/],
  ] as const) {
    const ended = await run([...args], variables);
    assert.deepEqual([ended.code, ended.stdout], [code, ""], `${args}: ${ended.stderr}`);
    assert.match(ended.stderr, complaint);
  }
});

test("admin operator-tokens: one that is revoked is refused, and other commands refuse it always", async () => {
  const made = JSON.parse(await admin("operator-tokens", "create", "short", "--expires-in", "600", "--json"));
  const asMade = { BERTH_URL: service.url, BERTH_TOKEN: made.token };
  assert.equal((await berth(["admin", "organizations", "list"], { env: asMade })).code, 0);
  const elsewhere = await berth(["agents", "list"], { env: asMade });
  assert.match(elsewhere.stderr, /accepted only under '\/api\/v1\/admin'/);
  const revoked = await admin("operator-tokens", "revoke", made.id, "--yes");
  assert.equal(revoked, `The operator token ${made.id} is revoked, and 0 that were created with it.\n`);
  const { code, stderr } = await berth(["admin", "organizations", "list"], { env: asMade });
  assert.equal(code, 4, stderr);
  assert.match(stderr, /The token was revoked/);
});

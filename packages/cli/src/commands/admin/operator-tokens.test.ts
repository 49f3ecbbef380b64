// Subject: the operator's commands by the URL of a service, beside the same commands on its machine.
import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { berth } from "../../../test-support/berth.ts";
import { type Installation, startInstallation } from "../../../test-support/installation.ts";

let service: Installation;
let env: Record<string, string>;
let tokenFile: string;
before(async () => {
  service = await startInstallation();
  const args = ["admin", "operator-tokens", "create", "provisioning", "--data-dir", service.dataDir];
  const { stdout } = await berth(args);
  assert.match(stdout, /^berth_operator_\w{46}\n$/);
  env = { BERTH_URL: service.url, BERTH_TOKEN: stdout.trim() };
  tokenFile = join(service.dir, "operator.token");
  await writeFile(tokenFile, stdout);
  await chmod(tokenFile, 0o600);
});
after(() => service.stop());

/** Runs a command by the URL of the service. */
async function byUrl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await berth(["admin", ...args], { env });
  assert.deepEqual([code, stderr], [0, `Administering ${service.url} (BERTH_URL)\n`], args.join(" "));
  return stdout;
}

async function onMachine(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await berth(["admin", ...args, "--data-dir", service.dataDir], { env });
  const where = `Administering this machine (data directory ${service.dataDir})\n`;
  assert.deepEqual([code, stderr], [0, where], args.join(" "));
  return stdout;
}

test("admin by URL: the same commands, and the same output as on the machine", async () => {
  assert.match(await byUrl("organizations", "create", "Acme"), /^org_\w+\n$/);
  assert.match(await onMachine("organizations", "create", "another"), /^org_\w+\n$/);
  assert.match(await byUrl("users", "create", "ada@example.com", "--org", "Acme"), /^usr_\w+\n$/);
  await byUrl("users", "create", "bob@example.com", "--org", "Acme", "--role", "admin");
  await byUrl("users", "set-role", "bob@example.com", "member");
  await byUrl("users", "disable", "bob@example.com", "--yes");
  await byUrl("service-accounts", "create", "ci", "--org", "Acme");
  await byUrl("service-accounts", "disable", "ci", "--org", "Acme", "--yes");
  await byUrl("organizations", "rename", "Acme", "acme");
  const token = await byUrl("tokens", "create", "--user", "ada@example.com", "--scopes", "agents:read");
  assert.match(token, /^berth_pat_\w+\n$/);
  await byUrl("service-accounts", "enable", "ci", "--org", "acme");
  const terms = ["--service-account", "ci", "--org", "acme", "--name", "nightly", "--expires-in", "60"];
  const made = JSON.parse(await byUrl("tokens", "create", ...terms, "--json"));
  assert.deepEqual([made.kind, made.name, made.scopes], ["sat", "nightly", ["*"]]);
  assert.ok(Date.parse(made.expires_at) - Date.parse(made.created_at) > 50_000);
  await byUrl("limits", "set", "--org", "acme", "open_sessions=none", "file_bytes=5");
  await byUrl("retention", "set", "--org", "acme", "files=none", "events=3", "--yes");
  const erasure = JSON.parse(await byUrl("erase", "--user", "bob@example.com", "--yes", "--json"));
  for (const args of [
    ["organizations", "list"],
    ["users", "list"],
    ["users", "list", "--org", "acme"],
    ["service-accounts", "list", "--org", "acme"],
    ["operator-tokens", "list"],
    ["limits", "get", "--org", "acme"],
    ["limits", "get", "--user", "ada@example.com"],
    ["retention", "get", "--org", "acme"],
    ["erasures", "list"],
    ["erasures", "get", erasure.id],
    ["audit", "--org", "acme", "--limit", "5"],
    ["audit", "--operation", "adminUsers", "--all"],
  ])
    for (const format of ["table", "json", "id"]) {
      const given = [...args, "-o", format];
      if (format === "id" && /limits|retention/.test(args[0] ?? "")) continue;
      const far = await byUrl(...given);
      const near = await onMachine(...given);
      // A request updates the last use of its token, once a minute, after its response was read.
      assert.equal(far === near ? far : await byUrl(...given), near, given.join(" "));
    }
  const hosts = JSON.parse(await byUrl("hosts", "--json")).data;
  const still = ({ seen_at: _at, seen_seconds_ago: _ago, ...host }: Record<string, unknown>) => host;
  assert.deepEqual(JSON.parse(await onMachine("hosts", "list", "--json")).data.map(still), hosts.map(still));
  assert.match(await byUrl("hosts"), /ROLE +VERSION +LOAD.*\n.* all +\S+ +0\/\d+ /);
  const [, drained] = [await byUrl("hosts", "drain", hosts[0].id), await byUrl("hosts", "--json")];
  assert.equal(JSON.parse(drained).data[0].draining, true);
  await byUrl("hosts", "drain", hosts[0].id, "--cancel");
});

test("admin by URL: what is named and is not there is told as on the machine", async () => {
  for (const args of [
    ["users", "list", "--org", "nobody"],
    ["users", "disable", "nobody@example.com", "--yes"],
    ["service-accounts", "enable", "none", "--org", "default"],
  ]) {
    const [far, near] = [
      await berth(["admin", ...args, "--quiet"], { env }),
      await berth(["admin", ...args, "--quiet", "--data-dir", service.dataDir]),
    ];
    assert.deepEqual([far.code, far.stdout, far.stderr], [1, "", near.stderr], args.join(" "));
  }
  const { code, stderr } = await berth(["admin", "hosts", "forget", "none", "--yes"], { env });
  assert.equal(code, 1);
  assert.match(stderr, /error: There is no host 'none'\.\n +type: not_found_error/);
  const release = ["admin", "sessions", "release", "sess_01zzzzzzzzzzzzzzzzzzzzzzzz"];
  const absent = "error: Session 'sess_01zzzzzzzzzzzzzzzzzzzzzzzz' does not exist.\n";
  assert.ok((await berth([...release, "--quiet"], { env })).stderr.startsWith(absent));
  const near = await berth([...release, "--data-dir", service.dataDir, "--quiet"]);
  assert.deepEqual([near.code, near.stderr], [1, absent]);
});

test("admin: which service it is follows from the URL with an operator token, and a flag decides", async () => {
  const run = (args: string[], variables: Record<string, string>) =>
    berth(["admin", "operator-tokens", "list", ...args], { env: variables });
  const there = await run(["--url", service.url, "--token-file", tokenFile], {});
  assert.equal(there.stderr, `Administering ${service.url} (--url)\n`);
  const { stdout: pat } = await berth([
    ...["bootstrap", "--user", "ada@example.com", "--data-dir", service.dataDir],
  ]);
  const own = { BERTH_DATA_DIR: service.dataDir, BERTH_URL: service.url, BERTH_TOKEN: pat.trim() };
  assert.match((await run([], own)).stderr, /^Administering this machine /, "no operator token: as ever");
  assert.match((await run(["--data-dir", service.dataDir], env)).stderr, /^Administering this machine /);
  const missing = { BERTH_DATA_DIR: service.dataDir, BERTH_TOKEN_FILE: "/nowhere" };
  const { code, stderr } = await run([], missing);
  assert.deepEqual([code, stderr], [0, ""], "nothing else can be meant");
  for (const [args, variables, complaint] of [
    [[], { ...missing, BERTH_URL: service.url }, /'\/nowhere'/],
    [["--url", service.url], {}, /A service is administered with an operator token/],
    [["--url", service.url], { BERTH_TOKEN: pat.trim() }, /is administered with an operator token/],
    [[], { BERTH_TOKEN: env.BERTH_TOKEN ?? "" }, /no URL of its service/],
    [["--token-file", tokenFile], {}, /no URL of its service/],
    [["--url", service.url, "--data-dir", service.dataDir], env, /set those of one/],
    [["--url", "nowhere"], { BERTH_TOKEN: env.BERTH_TOKEN ?? "" }, /URL is not valid/],
  ] as const) {
    const { code, stderr, stdout } = await run([...args], variables);
    assert.deepEqual([code, stdout], [2, ""], `${args}: ${stderr}`);
    assert.match(stderr, complaint);
  }
});

test("admin operator-tokens: one that is revoked is refused, and other commands refuse it always", async () => {
  const made = JSON.parse(await byUrl("operator-tokens", "create", "short", "--expires-in", "600", "--json"));
  const asMade = { BERTH_URL: service.url, BERTH_TOKEN: made.token };
  assert.equal((await berth(["admin", "organizations", "list"], { env: asMade })).code, 0);
  const elsewhere = await berth(["agents", "list"], { env: asMade });
  assert.match(elsewhere.stderr, /only accepted under '\/api\/v1\/admin'/);
  const revoked = await byUrl("operator-tokens", "revoke", made.id, "--yes");
  assert.equal(revoked, `The operator token ${made.id} is revoked, and 0 that were created with it.\n`);
  const { code, stderr } = await berth(["admin", "organizations", "list"], { env: asMade });
  assert.equal(code, 4, stderr);
  assert.match(stderr, /The token was revoked/);
});

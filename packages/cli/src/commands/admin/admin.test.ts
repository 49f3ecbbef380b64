import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Installation, startInstallation } from "../../../test-support/installation.ts";
import { openTerminal } from "../../../test-support/terminal.ts";

let service: Installation;
before(async () => {
  service = await startInstallation();
});
after(() => service.stop());

async function admin(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await service.admin(args);
  assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  return stdout.trim();
}

/** Returns the sentence of an error, without the details that the service adds. */
async function refusal(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await service.admin([...args, "--quiet"]);
  assert.deepEqual([code, stdout], [1, ""], args.join(" "));
  const [sentence = ""] = stderr.split("\n");
  return sentence;
}

test("admin: creates, lists, disables and enables organizations, users and service accounts", async () => {
  assert.match(await admin("organizations", "create", "acme"), /^org_[0-9a-z]{26}$/);
  assert.equal(await admin("users", "list", "--org", "acme"), "");
  assert.equal(
    await refusal("organizations", "create", "acme"),
    "error: The organization 'acme' already exists.",
  );

  const id = await admin("users", "create", "ada@example.com", "--org", "acme");
  assert.match(id, /^usr_[0-9a-z]{26}$/);
  await admin("users", "set-role", "ada@example.com", "admin");
  await admin("users", "disable", "ada@example.com");
  const { data: users } = JSON.parse(await admin("users", "list", "--org", "acme", "--json"));
  const { created_at, disabled_at, organization_id: _, ...user } = users[0];
  const named = { email: "ada@example.com", organization: "acme", role: "admin" };
  assert.deepEqual(user, { id, type: "user", ...named });
  assert.ok(created_at <= disabled_at);
  await admin("users", "enable", "ada@example.com");
  assert.match(await admin("users", "list", "--org", "acme"), /ada@example.com {2}acme +admin +-$/);
  assert.equal(
    await refusal("users", "disable", "bob@example.com"),
    "error: There is no user 'bob@example.com'.",
  );

  await admin("service-accounts", "create", "ci", "--org", "acme");
  await admin("service-accounts", "disable", "ci", "--org", "acme");
  await admin("organizations", "rename", "acme", "Acme Inc");
  await admin("organizations", "set", "Acme Inc", "--default-visibility", "organization");
  assert.match(await admin("organizations", "list"), /Acme Inc +1 +1 +organization +-$/m);
  const key = await admin("organizations", "set", "Acme Inc", "--commit-signing", "on");
  assert.match(key, /^ssh-ed25519 [A-Za-z0-9+/]{68}$/);
  assert.equal(await admin("organizations", "set", "Acme Inc", "--commit-signing", "on"), key);
  assert.equal(await admin("organizations", "set", "Acme Inc", "--commit-signing", "off"), "");
  assert.notEqual(await admin("organizations", "set", "Acme Inc", "--commit-signing", "on"), key);
  const none = await service.admin(["organizations", "set", "Acme Inc"]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /--default-visibility, --commit-signing, --admin-group or --no-admin-group/);
  await admin("organizations", "set", "Acme Inc", "--admin-group", "Berth Admins");
  assert.match(await admin("organizations", "list"), /Acme Inc +1 +1 +organization +Berth Admins$/m);
  await admin("organizations", "set", "Acme Inc", "--no-admin-group");
  assert.match(await admin("organizations", "list"), /Acme Inc +1 +1 +organization +-$/m);
  const { data: accounts } = JSON.parse(
    await admin("service-accounts", "list", "--org", "Acme Inc", "--json"),
  );
  assert.deepEqual([accounts[0].name, accounts[0].organization], ["ci", "Acme Inc"]);
  assert.notEqual(accounts[0].disabled_at, null);
  assert.equal(
    await refusal("service-accounts", "list", "--org", "acme"),
    "error: There is no organization 'acme'. Create it with 'berth admin organizations create acme'.",
  );
});

test("admin tokens create --service-account: a token without a user", async () => {
  await admin("organizations", "create", "Night");
  await admin("service-accounts", "create", "nightly", "--org", "Night");
  const account = ["--service-account", "nightly", "--org", "Night"];
  assert.match(await admin("tokens", "create", ...account), /^berth_sat_\w+$/);
  const scim = JSON.parse(await admin("tokens", "create", ...account, "--scopes", "scim", "--json"));
  assert.deepEqual(scim.scopes, ["scim"]);
  assert.match(await admin("service-accounts", "list", "--org", "Night"), /nightly +Night +-$/);
  assert.equal(await admin("users", "list", "--org", "Night"), "");
  for (const args of [[], ["--user", "a@b.example", ...account], ["--service-account", "nightly"]])
    assert.equal((await service.admin(["tokens", "create", ...args])).code, 2, args.join(" "));
});

test("bootstrap: the token is of a user or of an operator, and not of both", async () => {
  for (const args of [
    [],
    ["--user", "nobody"],
    ["--user", "a@b.example", "--operator", "x"],
    ["--operator", "x", "--role", "admin"],
    ["--operator", "x", "--scopes", "agents:read"],
    ["--user", "a@b.example", "--scopes", "nonsense"],
  ])
    assert.equal((await service.run(["bootstrap", ...args])).code, 2, args.join(" "));
  const made = await service.json("bootstrap", "--operator", "short", "--expires-in", "600");
  assert.match(made.token, /^berth_operator_\w{46}$/);
  const { data } = JSON.parse(await admin("operator-tokens", "list", "--json"));
  const { last4, parent_id, created_at, expires_at } = data[0];
  assert.deepEqual([last4, parent_id], [made.token.slice(-4), null]);
  assert.ok(Math.abs(Date.parse(expires_at) - Date.parse(created_at) - 600_000) < 60_000, expires_at);
});

test("admin: wrong usage → exit code 2", async () => {
  for (const args of [
    ["users", "create", "ada", "--org", "acme"],
    ["users", "create", "ada@example.com"],
    ["users", "set-role", "ada@example.com", "boss"],
    ["service-accounts", "create", "ci"],
  ]) {
    const { code } = await service.admin(args);
    assert.equal(code, 2, args.join(" "));
  }
});

test("admin disable: on a terminal it asks, and without a yes the tokens stay valid", async (t) => {
  const operator = await service.done("bootstrap", "--operator", "asked").then((token) => token.trim());
  await admin("organizations", "create", "asked");
  await admin("users", "create", "eve@example.com", "--org", "asked");
  await admin("service-accounts", "create", "bot", "--org", "asked");
  for (const [command, question] of [
    [["users", "disable", "eve@example.com"], "Disable the user eve@example.com?"],
    [["service-accounts", "disable", "bot", "--org", "asked"], "Disable the service account bot of asked?"],
  ] as const) {
    const ask = async (typed: string) => {
      const env = { ...service.env, BERTH_TOKEN: operator };
      const terminal = openTerminal(t, ["admin", ...command], { env, cwd: service.dir });
      await terminal.until(/\[y\/N\]/);
      terminal.type(typed);
      const { code, output } = await terminal.ended;
      assert.ok(output.includes(question), output);
      const { data } = JSON.parse(await admin(command[0], "list", "--org", "asked", "--json"));
      return [code, data[0].disabled_at !== null];
    };
    assert.deepEqual(await ask("n\n"), [1, false]);
    assert.deepEqual(await ask("y\n"), [0, true]);
  }
});

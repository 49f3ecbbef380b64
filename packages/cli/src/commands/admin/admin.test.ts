import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { berth } from "../../../test-support/berth.ts";
import { openTerminal } from "../../../test-support/terminal.ts";

/** Each command starts the installation's database while it runs. */

let dataDir: string;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "berth-admin-"));
});
after(() => rm(dataDir, { recursive: true, force: true }));

async function admin(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await berth(["admin", ...args, "--data-dir", dataDir]);
  assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  return stdout.trim();
}

async function refusal(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await berth(["admin", ...args, "--data-dir", dataDir, "--quiet"]);
  assert.deepEqual([code, stdout], [1, ""], args.join(" "));
  return stderr.trim();
}

test("admin: creates, lists, disables and enables organizations, users and service accounts", async () => {
  assert.equal(await admin("organizations", "list"), "");
  assert.match(await admin("organizations", "create", "acme"), /^org_[0-9a-z]{26}$/);
  assert.equal(
    await refusal("organizations", "create", "acme"),
    "error: The organization 'acme' already exists.",
  );

  const id = await admin("users", "create", "ada@example.com", "--org", "acme");
  assert.match(id, /^usr_[0-9a-z]{26}$/);
  await admin("users", "set-role", "ada@example.com", "admin");
  await admin("users", "disable", "ada@example.com");
  const { data: users } = JSON.parse(await admin("users", "list", "--json"));
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

test("bootstrap --service-account: a token without a user", async () => {
  const token = (...args: string[]) => berth(["bootstrap", ...args, "--data-dir", dataDir]);
  const made = await token("--service-account", "nightly", "--org", "Night");
  assert.match(made.stdout, /^berth_sat_\w+\n$/);
  assert.match(await admin("service-accounts", "list", "--org", "Night"), /nightly +Night +-$/);
  assert.equal(await admin("users", "list", "--org", "Night"), "");
  for (const args of [
    [],
    ["--user", "a@b.example", "--service-account", "x"],
    ["--service-account", "x", "--kind", "pat"],
  ])
    assert.equal((await token(...args)).code, 2, args.join(" "));
});

test("admin: whoever is being erased cannot be enabled meanwhile", async () => {
  await admin("organizations", "create", "leaving");
  await admin("users", "create", "mallory@example.com", "--org", "leaving");
  await admin("service-accounts", "create", "bot", "--org", "leaving");
  await admin("erase", "--org", "leaving", "--yes");
  assert.equal(
    await refusal("users", "enable", "mallory@example.com"),
    "error: The user 'mallory@example.com' is being erased, and cannot be enabled.",
  );
  assert.equal(
    await refusal("service-accounts", "enable", "bot", "--org", "leaving"),
    "error: The organization 'leaving' is being erased, and 'bot' cannot be enabled.",
  );
});

test("admin: wrong usage → exit code 2", async () => {
  for (const args of [
    ["users", "create", "ada", "--org", "acme"],
    ["users", "create", "ada@example.com"],
    ["users", "set-role", "ada@example.com", "boss"],
    ["service-accounts", "create", "ci"],
  ]) {
    const { code } = await berth(["admin", ...args, "--data-dir", dataDir]);
    assert.equal(code, 2, args.join(" "));
  }
});

test("admin disable: on a terminal it asks, and without a yes the tokens stay valid", async (t) => {
  await admin("organizations", "create", "asked");
  await admin("users", "create", "eve@example.com", "--org", "asked");
  await admin("service-accounts", "create", "bot", "--org", "asked");
  for (const [command, question] of [
    [["users", "disable", "eve@example.com"], "Disable the user eve@example.com?"],
    [["service-accounts", "disable", "bot", "--org", "asked"], "Disable the service account bot of asked?"],
  ] as const) {
    const ask = async (typed: string) => {
      const words = ["admin", ...command, "--data-dir", dataDir];
      const terminal = openTerminal(t, words, { env: {}, cwd: dataDir });
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

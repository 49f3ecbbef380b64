import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Installation, sharedInstallation } from "../../../test-support/installation.ts";
import { openTerminal } from "../../../test-support/terminal.ts";

describe("apply", { timeout: 420_000 }, () => {
  let service: Installation;
  before(async () => {
    service = await sharedInstallation();
  });
  after(() => service.stop());

  const write = (file: string, text: string) => writeFile(join(service.dir, file), text);
  const apply = async (...args: string[]) =>
    (await service.done("apply", ...args)).replaceAll(/ {2}(agent|env|vault|memstore)_\w+/g, "");

  test("apply: creates, updates or keeps objects; a dry run shows each field that would change", async () => {
    const file = (model: string) => `kind: environment
name: applied
environment_variables: { KEY: s3cret }
config:
  type: cloud
  networking: { type: limited, allowed_hosts: [a.example.com, b.example.com] }
---
kind: agent
name: Applied
model: ${model}
system: |
  one
  two
  three
---
kind: vault
display_name: applied
---
kind: memory_store
name: applied
`;
    await write("all.yaml", file("rehearsal/steps"));
    const planned = await apply("-f", "all.yaml", "--dry-run");
    assert.match(planned, /^environment\/applied would be created\n {2}\+ name: applied\n/);
    assert.match(
      planned,
      /\n {2}\+ config\.networking\.allowed_hosts\[1\]: b\.example\.com\nagent\/Applied /,
    );
    const all = ["environment/applied", "agent/Applied", "vault/applied", "memory_store/applied"];
    const each = (done: string) => all.map((name) => `${name} ${done}\n`).join("");
    assert.equal(await apply("-f", "all.yaml"), each("created"));
    assert.equal(await apply("-f", "all.yaml"), each("unchanged"));
    const changed = file("rehearsal/steps")
      .replace("  two", "  zwei")
      .replace("s3cret", "other")
      .replace("[a.example", "[c.example.com, d.example");
    await write("all.yaml", `${changed}description: more\n`);
    for (let time = 0; time < 2; time++) {
      assert.equal(
        await apply("-f", "all.yaml", "--dry-run"),
        `environment/applied would be updated
  - config.networking.allowed_hosts[0]: a.example.com
  + config.networking.allowed_hosts[0]: c.example.com
  + config.networking.allowed_hosts[1]: d.example.com
  - environment_variables.KEY: "(hidden)"
  + environment_variables.KEY: "(hidden)"
agent/Applied would be updated
  ~ system, from line 2:
    - two
    + zwei
vault/applied unchanged
memory_store/applied would be updated
  - description: null
  + description: more
`,
      );
    }
    const lines = (await service.done("apply", "-f", "all.yaml", "--dry-run", "--json")).trim().split("\n");
    const { changes } = JSON.parse(lines.at(-1) ?? "");
    assert.deepEqual(changes, [{ field: "description", before: null, after: "more" }]);
    const yaml = await service.done("apply", "-f", "all.yaml", "--dry-run", "-o", "yaml");
    assert.match(yaml, /^---\nkind: environment\nname: applied\nid: env_\w+\ndone: would be updated\n/);
    assert.match(
      await service.done("apply", "-f", "all.yaml", "--dry-run", "-o", "id"),
      /^env_\w+\nagent_\w+\nvault_\w+\nmemstore_\w+\n$/,
    );
    assert.equal(await service.done("apply", "-f", "all.yaml", "--dry-run", "--quiet"), "");
    assert.match(await apply("-f", "all.yaml"), /vault\/applied unchanged\nmemory_store\/applied updated\n$/);
  });

  test("apply: names file, line, document and field of all that is wrong, and applies nothing", async () => {
    await write("bad.yaml", BAD);
    await write("good.yaml", "kind: environment\nname: never\n");
    await write("repeated.yaml", "\nkind: environment\nname: never\n");
    for (const more of [["--dry-run"], []]) {
      const files = ["good.yaml", "bad.yaml", "none.yaml", "repeated.yaml"];
      const { code, stdout, stderr } = await service.run(["apply", "-f", ...files, ...more]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.equal(stderr.replace(/(is not available\.).*/, "$1"), FAULTS);
    }
    assert.ok(!(await service.done("environments", "list")).includes("never"));
  });

  test("apply: an object whose name is not unique, and a token without rights", async () => {
    const agent = ["agents", "create", "-f", "name=Twin", "-f", "model=rehearsal/steps"];
    for (const _ of [1, 2]) await service.done(...agent);
    const { code, stderr } = await service.run(
      ["apply", "-f", "-"],
      "kind: agent\nname: Twin\nmodel: rehearsal/steps\n",
    );
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^error: standard input:2, document 1, agent\/Twin: Several objects have this name: agent_\w+, agent_\w+\.\n/,
    );
    const token = (await service.json("tokens", "create", "-f", "name=n", "-F", 'scopes=["files:read"]'))
      .token;
    await write("token", token);
    const refused = await service.run(["apply", "-f", "good.yaml", "bad.yaml", "--token-file", "token"]);
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /^error: bad\.yaml:9, document 2: .*\n[\s\S]*environments:read/);
  });

  test("apply --prune: removes what the set has and the files no longer describe, after a yes", async (t) => {
    const one = "kind: environment\nname: one\nmetadata: { team: a }\n";
    const agents = ["Used", "Unused"].map(
      (name) => `---\nkind: agent\nname: ${name}\nmodel: rehearsal/steps\n`,
    );
    const stores = "---\nkind: vault\ndisplay_name: keys\n---\nkind: memory_store\nname: notes\n";
    await write("set.yaml", one + agents.join("") + stores);
    await write("one.yaml", one);
    const prune = ["-f", "one.yaml", "--set", "team-a", "--prune"];
    await service.done("environments", "create", "-f", "name=by hand");
    await service.done("apply", "-f", "set.yaml", "--set", "team-a");
    const { data: vaults } = await service.json("vaults", "list");
    const vault = vaults.find((each: { display_name: string }) => each.display_name === "keys").id;
    const auth = '{"type":"static_bearer","mcp_server_url":"https://mcp.example.com","token":"t"}';
    await service.done("vaults", "credentials", "create", vault, "-F", `auth=${auth}`);
    const { data: made } = await service.json("agents", "list");
    const used = made.find((each: { name: string }) => each.name === "Used").id;
    const { data: environments } = await service.json("environments", "list");
    const environment = environments.find((each: { name: string }) => each.name === "one");
    assert.deepEqual(environment.metadata, { team: "a", berth_apply_set: "team-a" });
    const session = await service.json(
      ...["sessions", "create", "-f", `agent=${used}`, `environment_id=${environment.id}`],
      ...["-F", `vault_ids=["${vault}"]`],
    );

    const would = `agent/Unused would be removed
agent/Used would be removed
memory_store/notes would be archived
vault/keys would be removed with 1 credential
`;
    assert.equal(await apply(...prune, "--dry-run"), `environment/one unchanged\n${would}`);
    const unasked = await service.run(["apply", ...prune]);
    assert.deepEqual([unasked.code, unasked.stdout], [2, ""]);
    assert.match(unasked.stderr, /error: Nothing was applied\. Add --yes to remove these objects\.\n$/);
    for (const [answer, code] of [
      ["n\n", 1],
      ["y\n", 1],
    ] as const) {
      const terminal = openTerminal(t, ["apply", ...prune], { env: service.env, cwd: service.dir });
      await terminal.until(/vault\/keys would[\s\S]*Apply, and remove these objects\? \[y\/N\]/);
      terminal.type(answer);
      const { code: ended, output } = await terminal.ended;
      assert.equal(ended, code, output);
      const isRefused = answer === "n\n";
      assert.equal(output.includes("agent/Used archived"), !isRefused, output);
      assert.equal(output.includes("agent/Unused removed"), !isRefused, output);
      assert.equal(output.includes("vault/keys was not removed: "), !isRefused, output);
    }
    await service.done("sessions", "archive", session.id);
    assert.equal(await apply(...prune, "--yes"), "environment/one unchanged\nvault/keys removed\n");
    assert.equal(await apply(...prune), "environment/one unchanged\n");
    const names = await service.done("environments", "list");
    assert.ok(names.includes("by hand") && names.includes(" one "), names);
    assert.equal((await service.run(["vaults", "get", vault])).code, 1);
    const { data: stores_ } = await service.json("memory-stores", "list", "-q", "include_archived=true");
    const notes = stores_.find((each: { name: string }) => each.name === "notes");
    assert.notEqual(notes.archived_at, null);
  });

  test("apply --set: another set's object, a set without a name, and files without objects are refused", async () => {
    await write("shared.yaml", "kind: environment\nname: shared\n");
    await write("empty.yaml", "# nothing\n");
    await service.done("apply", "-f", "shared.yaml", "--set", "mine");
    for (const [args, says] of [
      [
        ["-f", "shared.yaml", "--set", "yours"],
        /environment\/shared: The object belongs to the set 'mine'\./,
      ],
      [
        ["-f", "shared.yaml", "--prune"],
        /--prune needs --set, the name of the set whose objects it may remove\./,
      ],
      [["-f", "shared.yaml", "--set", "a b"], /'a b' is not the name of a set/],
      [["-f", "empty.yaml", "--set", "mine", "--prune", "--yes"], /all of the set 'mine' would be removed\./],
    ] as const) {
      const { code, stdout, stderr } = await service.run(["apply", ...args]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, says);
    }
    await write("shared.yaml", "kind: environment\nname: shared\nmetadata:\n");
    assert.equal(await apply("-f", "shared.yaml", "--set", "mine"), "environment/shared unchanged\n");
  });
});

const BAD = `kind: agent
name: Helper
modl: x
model: rehearsal/nothing
tools:
  - type: agent_toolset_20260401
    wrong: []
---
kind: robot
name: x
---
kind: environment
name: e
resources:
  cpus: lots
  pids: 1
sistem: x
---
a: [
---
- a
---
kind: vault
display_name: *none
---
kind: vault
---
kind: agent
name: Valid but for the model
model: rehearsal/nothing
`;

const FAULTS = `error: bad.yaml:3, document 1, agent/Helper: Unknown field 'modl'.
error: bad.yaml:7, document 1, agent/Helper: Unknown field 'tools[0].wrong'.
error: bad.yaml:9, document 2: Field 'kind' must be one of agent, skill, environment, memory_store, vault_credential, vault, memory.
error: bad.yaml:15, document 3, environment/e: Field 'resources.cpus' must be a number.
error: bad.yaml:16, document 3, environment/e: Field 'resources.pids' must be at least 16.
error: bad.yaml:17, document 3, environment/e: Unknown field 'sistem'.
error: bad.yaml:20, document 4: Flow sequence in block collection must be sufficiently indented and end with a ].
error: bad.yaml:21, document 5: It must be an object.
error: bad.yaml:23, document 6: Unresolved alias (the anchor must be set before the alias): none.
error: bad.yaml:26, document 7: Field 'display_name' is required.
error: bad.yaml:30, document 8, agent/Valid but for the model: Model 'rehearsal/nothing' is not available.
error: none.yaml: Cannot read 'none.yaml': no such file or directory.
error: repeated.yaml:2, document 1, environment/never: The same object is described at good.yaml:1, document 1, environment/never.
Nothing was applied.
`;

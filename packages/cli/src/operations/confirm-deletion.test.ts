import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Installation, sharedInstallation } from "../../test-support/installation.ts";
import { openTerminal } from "../../test-support/terminal.ts";

const WITHIN = { timeout: 120_000 };

let service: Installation;
before(async () => {
  service = await sharedInstallation();
});
after(() => service.stop());

const made = async (name: string): Promise<string> =>
  (await service.json("agents", "create", "-f", `name=${name}`, "-f", "model=rehearsal/steps")).id;
const isThere = async (id: string) => (await service.run(["agents", "get", id])).code === 0;

test(
  "delete on a terminal: asks with the id and the name, and deletes only after a yes",
  WITHIN,
  async (t) => {
    const id = await made("Helper");
    const cwd = service.dir;
    const remove = (...flags: string[]) =>
      openTerminal(t, ["agents", "delete", id, ...flags], { env: service.env, cwd });
    for (const [typed, code, said] of [
      ["n\n", 1, "Nothing was changed."],
      ["\n", 1, "Nothing was changed."],
      ["yes please\n", 1, "Nothing was changed."],
      ["\u0004", 1, "Nothing was changed."],
      ["\u0003", 130, "Interrupted."],
    ] as const) {
      const terminal = remove();
      await terminal.until(/\[y\/N\]/);
      terminal.type(typed);
      const { code: ended, output } = await terminal.ended;
      assert.equal(ended, code, output);
      assert.ok(output.includes(said), output);
      assert.ok(output.includes(`Delete an agent: ${id} (Helper)? [y/N]`), output);
      assert.ok(await isThere(id), "it is still there");
    }
    const agreed = remove();
    await agreed.until(/\[y\/N\]/);
    agreed.type("y\n");
    assert.equal((await agreed.ended).code, 0);
    assert.equal(await isThere(id), false);
  },
);

test("delete with --yes, or without a terminal: nobody is asked", WITHIN, async (t) => {
  const [one, two] = [await made("One"), await made("Two")];
  const terminal = openTerminal(t, ["agents", "delete", one, "--yes", "--quiet"], {
    env: service.env,
    cwd: service.dir,
  });
  assert.deepEqual(await terminal.ended, { code: 0, output: "" });
  assert.equal(await service.done("agents", "delete", two, "-o", "id"), `${two}\n`);
  assert.deepEqual([await isThere(one), await isThere(two)], [false, false]);
});

test("delete on a terminal: the question says what hangs on the object", WITHIN, async (t) => {
  const { env, dir: cwd } = service;
  const write = (file: string, text: string) => writeFile(join(cwd, file), text);
  const create = async (...args: string[]): Promise<string> => (await service.json(...args)).id;
  const question = async (...args: string[]) => {
    const terminal = openTerminal(t, args, { env, cwd });
    await terminal.until(/\[y\/N\]/);
    terminal.type("n\n");
    const { output } = await terminal.ended;
    return /\)\? ?(.*) \[y\/N\]/.exec(output)?.[1];
  };
  await mkdir(join(cwd, "tidy"));
  await write("tidy/SKILL.md", "---\nname: tidy\ndescription: x\n---\n");
  await write("a.txt", "a");
  const environment = await create(
    ...[
      "environments",
      "create",
      "-f",
      "name=used",
      "config.type=cloud",
      "config.networking.type=unrestricted",
    ],
  );
  const store = await create("memory-stores", "create", "-f", "name=notes");
  const vault = await create("vaults", "create", "-f", "display_name=keys");
  const skill = await create("skills", "create", "tidy");
  const [mounted, other] = [
    await create("files", "upload", "a.txt"),
    await create("files", "upload", "a.txt"),
  ];
  const agent = await create(
    ...["agents", "create", "-f", "name=User", "model=rehearsal/steps"],
    ...["-F", `skills=[{"type":"custom","skill_id":"${skill}"}]`],
  );
  const all = [
    ["agents", agent],
    ["environments", environment],
    ["files", mounted],
    ["memory-stores", store],
    ["vaults", vault],
  ] as const;
  for (const [noun, id] of all) assert.equal(await question(noun, "delete", id), "", `${noun}: nothing yet`);

  const resources = [
    { type: "file", file_id: mounted },
    { type: "memory_store", memory_store_id: store },
  ];
  const session = await create(
    ...["sessions", "create", "-f", `agent=${agent}`, `environment_id=${environment}`],
    ...["-F", `vault_ids=["${vault}"]`, `resources=${JSON.stringify(resources)}`],
  );
  for (const path of ["/a", "/b"])
    await create("memory-stores", "memories", "create", store, "-f", `path=${path}`, "content=x");
  const auth = '{"type":"static_bearer","mcp_server_url":"https://mcp.example.com","token":"t"}';
  await create("vaults", "credentials", "create", vault, "-F", `auth=${auth}`);

  const uses = "1 session uses it: the service keeps it until that session is terminated or archived.";
  const said = async () => await Promise.all(all.map(([noun, id]) => question(noun, "delete", id)));
  assert.deepEqual(await said(), [
    "1 session was created with it: the service keeps it until that session is deleted.",
    "1 session uses it: the service keeps it until that session is terminated.",
    uses,
    `Its 2 memories are deleted, too. ${uses}`,
    `Its one credential is deleted, too. ${uses}`,
  ]);
  assert.equal(
    await question("skills", "delete", skill),
    "Its one version is deleted, too. 1 agent has it: the service keeps it until that agent is archived or changed.",
  );
  assert.equal(await question("files", "delete", other), "");
  await service.done("sessions", "terminate", session);
  assert.deepEqual(await said(), [
    "1 session was created with it: the service keeps it until that session is deleted.",
    ...["", "", "Its 2 memories are deleted, too.", "Its one credential is deleted, too."],
  ]);
});

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { berth } from "../../../test-support/berth.ts";
import { type Installation, sharedInstallation } from "../../../test-support/installation.ts";

const SECRET = "sekret-51f0";
const OTHER = "sekret-77aa";

const STORE = "kind: memory_store\nname: notes\n";
const INLINE = "kind: memory\nmemory_store: notes\npath: /a.md\ncontent: |\n  one\n  two\n";
const FROM_FILE = "kind: memory\nmemory_store: notes\npath: /b/c.md\ncontent_file: c.md\n";
const BEARER = `kind: vault_credential
vault: keys
auth:
  type: static_bearer
  mcp_server_url: https://mcp.example.com
  token_env: MCP_TOKEN
`;
const VARIABLE = `kind: vault_credential
vault: keys
display_name: For builds
auth:
  type: environment_variable
  secret_name: BUILD_KEY
  secret_value_file: build-key
  networking: { allowed_hosts: [a.example.com] }
`;

describe("apply: memories and credentials", { timeout: 420_000 }, () => {
  let service: Installation;
  before(async () => {
    service = await sharedInstallation();
    await mkdir(join(service.dir, "kept"));
    await write("kept/c.md", "From a file.\n");
    await write("kept/build-key", `${SECRET}\n`);
  });
  after(() => service.stop());

  const write = (file: string, text: string) => writeFile(join(service.dir, file), text);
  const documents = (...all: string[]) => all.join("---\n");
  const run = async (args: string[], more: Record<string, string> = {}) => {
    const ended = await berth(["apply", ...args], { env: { ...service.env, ...more }, cwd: service.dir });
    assert.doesNotMatch(ended.stdout + ended.stderr, /sekret/, "no secret is ever printed");
    return ended;
  };
  const apply = async (args: string[], more: Record<string, string> = {}) => {
    const { code, stdout, stderr } = await run(args, more);
    assert.deepEqual([code, stderr], [0, ""]);
    return stdout.replaceAll(/ {2}(memstore|mem|vault|vcred)_\w+/g, "");
  };
  const only = async (...list: string[]) => (await service.json(...list, "list")).data[0];

  test("apply: memories of a store that is made with them, changed only where they differ", async () => {
    const file = "kept/notes.yaml";
    // Parts come after the objects that they belong to, wherever they are in the files.
    await write(file, documents(INLINE, STORE, FROM_FILE));
    assert.equal(
      await apply(["-f", file, "--dry-run"]),
      `memory_store/notes would be created
  + name: notes
memory/notes/a.md would be created
  + path: /a.md
  + content: "one\\ntwo\\n"
memory/notes/b/c.md would be created
  + path: /b/c.md
  + content: "From a file.\\n"
`,
    );
    const all = ["memory_store/notes", "memory/notes/a.md", "memory/notes/b/c.md"];
    const each = (done: string) => all.map((name) => `${name} ${done}\n`).join("");
    assert.equal(await apply(["-f", file]), each("created"));
    assert.equal(await apply(["-f", file]), each("unchanged"));
    await write(file, documents(INLINE.replace("  two", "  zwei"), STORE, FROM_FILE));
    for (let time = 0; time < 2; time++) {
      assert.equal(
        await apply(["-f", file, "--dry-run"]),
        `memory_store/notes unchanged
memory/notes/a.md would be updated
  ~ content, from line 2:
    - two
    + zwei
memory/notes/b/c.md unchanged
`,
      );
    }
    assert.match(await apply(["-f", file]), /a\.md updated\nmemory\/notes\/b\/c\.md unchanged\n$/);
    const store = await only("memory-stores");
    const { data: versions } = await service.json("memory-stores", "memory-versions", "list", store.id);
    assert.equal(versions.length, 3, "equal content makes no version");

    const prune = ["-f", "kept/one.yaml", "--set", "team", "--prune"];
    await write("kept/one.yaml", documents(STORE, FROM_FILE));
    assert.equal(
      await apply([...prune, "--yes"]),
      "memory_store/notes updated\nmemory/notes/b/c.md unchanged\n",
    );
    await write("kept/one.yaml", FROM_FILE);
    assert.equal(await apply(prune), "memory/notes/b/c.md unchanged\n", "the store of a memory is kept");
    const { data: memories } = await service.json("memory-stores", "memories", "list", store.id);
    assert.equal(memories.length, 2, "memories have no mark, and stay");
  });

  test("apply: secrets come from variables and files, and are written when new or with --secrets", async () => {
    const file = "kept/keys.yaml";
    await write(file, documents("kind: vault\ndisplay_name: keys\n", BEARER, VARIABLE));
    const unset = await run(["-f", file]);
    assert.deepEqual([unset.code, unset.stdout], [2, ""]);
    assert.equal(
      unset.stderr,
      `error: kept/keys.yaml:9, document 2, vault_credential/keys/https://mcp.example.com: The variable 'MCP_TOKEN' is not set.
Nothing was applied.
`,
    );
    const env = { MCP_TOKEN: SECRET };
    const planned = await apply(["-f", file, "--dry-run"], env);
    assert.match(planned, /\n {2}\+ auth\.mcp_server_url: https:\/\/mcp\.example\.com\n/);
    assert.match(
      planned,
      /\n {2}\+ auth\.token: "\(hidden\)"\n[\s\S]*\n {2}\+ auth\.secret_value: "\(hidden\)"\n/,
    );
    const names = ["vault_credential/keys/https://mcp.example.com", "vault_credential/keys/BUILD_KEY"];
    const each = (done: string) => names.map((name) => `${name} ${done}\n`).join("");
    assert.equal(await apply(["-f", file], env), `vault/keys created\n${each("created")}`);
    const same = `vault/keys unchanged\n${each("unchanged (secret not compared)")}`;
    for (const more of [[], ["--dry-run"]])
      assert.equal(await apply(["-f", file, ...more]), same, "a known secret is not needed");

    const before = await secretsTold(await only("vaults"));
    const dry = await apply(["-f", file, "--secrets", "--dry-run"], { MCP_TOKEN: OTHER });
    assert.match(
      dry,
      /would be updated\n {2}- auth\.token: "\(hidden\)"\n {2}\+ auth\.token: "\(hidden\)"\n/,
    );
    assert.deepEqual(await secretsTold(await only("vaults")), before);
    assert.equal(
      await apply(["-f", file, "--secrets"], { MCP_TOKEN: OTHER }),
      `vault/keys unchanged\n${each("updated")}`,
    );
    assert.notDeepEqual(await secretsTold(await only("vaults")), before, "they were written");

    const hosts = VARIABLE.replace("[a.example.com]", "[b.example.com]").replace("For builds", "Builds");
    await write(file, documents("kind: vault\ndisplay_name: keys\n", BEARER, hosts));
    assert.equal(
      (await apply(["-f", file, "--dry-run"])).split("\n").slice(2).join("\n"),
      `vault_credential/keys/BUILD_KEY would be updated (secret not compared)
  - display_name: "For builds"
  + display_name: Builds
  - auth.networking.allowed_hosts[0]: a.example.com
  + auth.networking.allowed_hosts[0]: b.example.com
`,
    );
    const lines = (await run(["-f", file, "--json"])).stdout.trim().split("\n");
    const { id: _id, ...last } = JSON.parse(lines.at(-1) ?? "");
    assert.deepEqual(last, {
      ...{ kind: "vault_credential", name: "keys/BUILD_KEY" },
      ...{ done: "updated", note: "secret not compared" },
    });

    await apply(["-f", file, "--set", "team"]);
    await write(file, documents("kind: vault\ndisplay_name: keys\n", hosts));
    const prune = ["-f", file, "--set", "team", "--prune"];
    assert.match(
      await apply([...prune, "--dry-run"]),
      /\nvault_credential\/keys\/https:\S+ would be removed\n$/,
    );
    assert.match(await apply([...prune, "--yes"]), /\nvault_credential\/keys\/https:\S+ removed\n$/);
    const { data } = await service.json("vaults", "credentials", "list", (await only("vaults")).id);
    assert.deepEqual(
      data.map(({ auth }: { auth: { secret_name: string } }) => auth.secret_name),
      ["BUILD_KEY"],
    );
  });

  /** Returns when each credential was last changed, which writing a secret always updates. */
  const secretsTold = async ({ id }: { id: string }) =>
    (await service.json("vaults", "credentials", "list", id)).data.map(
      ({ updated_at }: { updated_at: string }) => updated_at,
    );

  test("apply: names what is wrong with memories and credentials, without a secret", async () => {
    await write("latin1.txt", "");
    await writeFile(join(service.dir, "latin1.txt"), Buffer.from([0xe4, 0x0a]));
    await write("blank-key", "\n");
    await write("spaced-key", `two ${SECRET}\n`);
    const memory = (rest: string) => `kind: memory\nmemory_store: s\n${rest}`;
    const credential = (rest: string) => `kind: vault_credential\nvault: v\nauth:\n${rest}`;
    const bearer = "  type: static_bearer\n  mcp_server_url: https://x.example.com\n";
    await write("whole.yaml", "kind: memory_store\nname: s\n---\nkind: vault\ndisplay_name: v\n");
    await write(
      "bad.yaml",
      documents(
        ...["kind: memory\npath: /a\ncontent: x\n", memory("content: x\n"), memory("path: /a\n")],
        ...[memory("path: /b\ncontent: x\ncontent_file: y\n"), memory("path: /c\ncontent_file: none\n")],
        ...[memory("path: /d\ncontent_file: latin1.txt\n"), memory("path: e\ncontent: 5\nsistem: x\n")],
        ...["kind: memory\nmemory_store: gone\npath: /a\ncontent: x\n"],
        ...[
          "kind: vault_credential\nvault: v\n",
          credential("  type: x\n"),
          credential("  type: static_bearer\n"),
        ],
        credential(`${bearer}  token: ${SECRET}\n`),
        credential(`${bearer.replace("x.ex", "y.ex")}  token_env: A\n  token_file: b\n`),
        credential(bearer.replace("x.ex", "z.ex")),
        credential(`${bearer.replace("x.ex", "u.ex")}  token_file: blank-key\n`),
        credential(`${bearer.replace("x.ex", "w.ex")}  token_file: spaced-key\n`),
        credential(`${bearer}  token_file: kept/build-key\n`),
      ),
    );
    const expected = `error: bad.yaml:1, document 1: Field 'memory_store' is required.
error: bad.yaml:5, document 2: Field 'path' is required.
error: bad.yaml:9, document 3, memory/s/a: Field 'content' or 'content_file' is required.
error: bad.yaml:17, document 4, memory/s/b: Set either 'content' or 'content_file', not both.
error: bad.yaml:22, document 5, memory/s/c: Cannot read 'none': no such file or directory.
error: bad.yaml:27, document 6, memory/s/d: The content of 'latin1.txt' is not UTF-8.
error: bad.yaml:31, document 7, memory/s/e: Field 'path' must be an absolute path.
error: bad.yaml:32, document 7, memory/s/e: Field 'content' must be a string.
error: bad.yaml:33, document 7, memory/s/e: Unknown field 'sistem'.
error: bad.yaml:36, document 8, memory/gone/a: There is no memory store of this name, and no document describes one.
error: bad.yaml:40, document 9: Field 'auth' is required.
error: bad.yaml:46, document 10: Field 'auth.type' must be one of static_bearer, environment_variable.
error: bad.yaml:50, document 11: Field 'auth.mcp_server_url' is required.
error: bad.yaml:58, document 12, vault_credential/v/https://x.example.com: A document must not contain a secret. Name a variable with 'auth.token_env', or a file with 'auth.token_file'.
error: bad.yaml:66, document 13, vault_credential/v/https://y.example.com: Set either 'auth.token_env' or 'auth.token_file', not both.
error: bad.yaml:70, document 14, vault_credential/v/https://z.example.com: Field 'auth.token_env' or 'auth.token_file' is required.
error: bad.yaml:79, document 15, vault_credential/v/https://u.example.com: The file 'blank-key' is empty.
error: bad.yaml:86, document 16, vault_credential/v/https://w.example.com: Field 'auth.token_file' must be visible ASCII characters without spaces.
error: bad.yaml:88, document 17, vault_credential/v/https://x.example.com: The same object is described at bad.yaml:53, document 12, vault_credential/v/https://x.example.com.
Nothing was applied.
`;
    for (const time of ["before", "after"]) {
      const { code, stdout, stderr } = await run(["-f", "whole.yaml", "bad.yaml"]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.equal(stderr, expected, `${time} the store and the vault exist`);
      await apply(["-f", "whole.yaml"]);
    }
  });
});

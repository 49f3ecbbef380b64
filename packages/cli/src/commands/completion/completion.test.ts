import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { binary } from "../../../test-support/berth.ts";
import { type Installation, sharedInstallation } from "../../../test-support/installation.ts";
import { onTerminal } from "../../../test-support/terminal.ts";

const WITHIN = { timeout: 120_000 };

describe("completion", { timeout: 240_000 }, () => {
  let service: Installation;
  let agent: string;
  let vault: string;
  let credential: string;
  before(async () => {
    service = await sharedInstallation();
    agent = (
      await service.json("agents", "create", "-f", "name=Red\u001b[31m", "-f", "model=rehearsal/steps")
    ).id;
    vault = (await service.json("vaults", "create", "-f", "display_name=Keys")).id;
    const auth = '{"type":"static_bearer","mcp_server_url":"https://mcp.example.com","token":"t"}';
    credential = (await service.json("vaults", "credentials", "create", vault, "-F", `auth=${auth}`)).id;
    // The clone's own setup, a program on the path, and one that npm has installed.
    await mkdir(join(service.dir, "bin"));
    await mkdir(join(service.dir, "node_modules/.bin"), { recursive: true });
    for (const place of ["bin/berth", "node_modules/.bin/berth"])
      await symlink(binary, join(service.dir, place));
  });
  after(() => service.stop());

  const values = async (...words: string[]) =>
    (await service.done("complete", "--", ...words)).split("\n").map((line) => line.split("\t")[0]);

  test("complete: commands, flags, choices, files, ids and models", WITHIN, async () => {
    assert.equal(await service.done("complete", "--", "agents", "get", ""), `${agent}\tRed\n`);
    assert.equal(await service.done("complete", "--", "agents", "get", "vault_"), "");
    for (const [words, expected] of [
      [["memory-stores", "memories", "cr"], ["create"]],
      [["vaults", "credentials", "get", vault, ""], [credential]],
      [["vaults", "credentials", "get", "vault_none", ""], []],
      [["sessions", "logs", "--f"], ["--follow"]],
      [["sessions", "logs", "-f", "--f"], []],
      [["sessions", "list", "--status", "id"], ["idle"]],
      [["run", "task", "--model", ""], ["rehearsal/steps"]],
      [["run", "task", "--model=reh"], ["--model=rehearsal/steps"]],
      [["run", "--agent", ""], [agent]],
      [["apply", "-f", "one.yaml", ""], [":files"]],
      [["apply", "-f", "one.yaml", "--pru"], ["--prune"]],
      [["apply", "--file="], [":files"]],
      [["skills", "create", ""], [":files"]],
      [
        ["completion", ""],
        ["bash", "zsh", "fish"],
      ],
      [["serve", "--database-url-"], ["--database-url-file"]],
      [["agents", "get", "--", "--"], []],
      [["nothing", ""], []],
      [["compl"], ["completion"]],
    ] as const)
      assert.deepEqual(await values(...words), [...expected, ""], words.join(" "));
  });

  test("complete: without a service there are no ids, and no message", WITHIN, async () => {
    for (const given of [["--url", "http://127.0.0.1:1"], ["--url=nowhere"], ["--token-file", "none"]]) {
      const { code, stdout, stderr } = await service.run(["complete", "--", "agents", "get", ...given, ""]);
      assert.deepEqual([code, stdout, stderr], [0, "", ""]);
    }
  });

  /** Starts a shell that has loaded the script, in the directory with the three programs. */
  const shell = async (t: TestContext, program: string[], source: string) => {
    const path = `${dirname(binary)}:${dirname(process.execPath)}:${process.env.PATH}`;
    const env = {
      ...service.env,
      PATH: path,
      HOME: service.dir,
      PS1: "> ",
      npm_config_update_notifier: "false",
    };
    const terminal = onTerminal(t, program, { env, cwd: service.dir });
    terminal.type(`${source}; echo rea''dy\n`);
    await terminal.until(/ready/);
    return terminal;
  };

  const PROGRAMS = ["bin/berth", "berth", "npx berth"];

  for (const [name, program, source] of [
    ["bash", ["bash", "--norc", "--noprofile", "-i"], "source <(bin/berth completion bash)"],
    ["zsh", ["zsh", "-f", "-i"], "source <(bin/berth completion zsh)"],
  ] as const) {
    test(
      `${name}: TAB completes the id of ${PROGRAMS.join(", ")}; and a model after '='`,
      WITHIN,
      async (t) => {
        const terminal = await shell(t, [...program], source);
        for (const [index, berth] of PROGRAMS.entries()) {
          terminal.type(`: ${index}; ${berth} agents get \t`);
          await terminal.until(new RegExp(`: ${index}; ${berth} agents get ${agent}`));
          terminal.type("\u0015");
        }
        terminal.type("berth run 'a task' --model=rehe\t");
        await terminal.until(/--model=rehearsal\/steps/);
        terminal.type("\u0015exit 0\n");
        assert.equal((await terminal.ended).code, 0);
      },
    );
  }

  test(
    "bash: TAB at an ambiguous word lists the candidates; names of files are the shell's own",
    WITHIN,
    async (t) => {
      const other = (await service.json("agents", "create", "-f", "name=Blue", "-f", "model=rehearsal/steps"))
        .id;
      const terminal = await shell(
        t,
        ["bash", "--norc", "--noprofile", "-i"],
        "source <(bin/berth completion bash)",
      );
      terminal.type("berth agents get \t\t\t");
      await terminal.until(new RegExp(`${agent} {2}\\(Red\\)`));
      await terminal.until(new RegExp(`${other} {2}\\(Blue\\)`));
      await service.done("agents", "delete", other);
      terminal.type("\u0015berth apply --file node_mod\t");
      await terminal.until(/--file node_modules\//);
      terminal.type("\u0015exit 0\n");
      assert.equal((await terminal.ended).code, 0);
    },
  );

  test("fish: completes the id of the three programs, with its name, and names of files", WITHIN, () => {
    const lines = [...PROGRAMS.map((berth) => `${berth} agents get `), "berth run x --model=rehe"];
    const asked = [...lines, "berth apply --file node_mod"].map((line) => `complete -C '${line}'`);
    const path = `${dirname(binary)}:${dirname(process.execPath)}:${process.env.PATH}`;
    const { stdout, stderr } = spawnSync(
      "fish",
      ["--no-config", "-c", ["bin/berth completion fish | source", ...asked].join("; ")],
      { cwd: service.dir, env: { ...service.env, PATH: path, HOME: service.dir }, encoding: "utf8" },
    );
    const found = stdout.replaceAll(/\t\n/g, "\n").trimEnd().split("\n");
    const id = `${agent}\tRed`;
    assert.deepEqual(found.slice(0, 4), [id, id, id, "--model=rehearsal/steps"], stderr);
    assert.match(found[4] ?? "", /^node_modules\//);
  });
});

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Berth } from "../acceptance/harness/berth.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import {
  type BearerProxy,
  type EverythingServer,
  startBearerProxy,
  startEverything,
} from "../mcp-host/mcp-host.ts";
import { runShell, shellBlocks } from "./shell-blocks.ts";

/** Runs every shell block of the guides and the README as printed, against real git and MCP servers. */

const ROOT = join(import.meta.dirname, "../..");
let directory: string;
let hosted: GitHost;
let generic: GitHost;
let everything: EverythingServer;
let proxy: BearerProxy;
let berth: Berth;
let env: Record<string, string>;
/** Addresses printed in the documents, each with the test server that replaces it. */
let addresses: [string, string][];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "berth-guides-"));
  [hosted, generic, everything] = await Promise.all([
    startGitHost({ dir: join(directory, "hosted") }),
    startGitHost({ dir: join(directory, "generic") }),
    startEverything(),
  ]);
  proxy = await startBearerProxy(everything.port, "token-of-mcp");
  for (const host of [hosted, generic])
    await host.createRepository({ org: "acme", name: "widget", private: true, files: { "a.txt": "a\n" } });
  const hosts = [hosted.host, generic.host, new URL(proxy.url).host];
  berth = await Berth.start({
    settings: {
      BERTH_HOSTED_PROVIDERS: JSON.stringify([
        { host: hosted.host, token_env: ["GH_TOKEN"], ca_file: hosted.caFile },
      ]),
      BERTH_GIT_CA_FILES: JSON.stringify([{ host: generic.host, ca_file: generic.caFile }]),
      BERTH_EGRESS_ALLOW_PRIVATE: hosts.join(),
    },
  });
  const token = await berth.token();
  const writeAccess = { user: "agent", permissions: "write" } as const;
  env = {
    PATH: `${join(ROOT, "bin")}:${process.env.PATH}`,
    BERTH_URL: berth.url,
    BERTH_TOKEN: token,
    GITHUB_TOKEN: hosted.createToken(writeAccess),
    GIT_PASSWORD: generic.createToken(writeAccess),
    MCP_TOKEN: "token-of-mcp",
  };
  addresses = [
    ["https://github.com", hosted.url],
    ["https://git.example.com", generic.url],
    ["https://mcp.example.com/mcp", proxy.url],
    ["https://api.example.com", `${generic.url}/api/v3`],
    ["api.example.com", generic.host],
    ["http://127.0.0.1:4180", berth.url],
    ["--port 4280", "--port 0"],
    ["anthropic/claude-opus-5", "rehearsal/steps"],
  ];
});
after(async () => {
  await berth.stop();
  proxy.stop();
  await Promise.all([hosted.stop(), generic.stop(), everything.stop()]);
  await rm(directory, { recursive: true, force: true });
});

/** What the shell blocks of each guide print, in this order, among other output. */
const GUIDES: Record<string, RegExp> = {
  "cli.md": /static_bearer[\s\S]*text\/csv[\s\S]*agent\/Applied created/,
  "confirmations.md":
    /Bash {2}rm -rf build\n\nwaiting for you[\s\S]*\(no output\)[\s\S]*Not on a Friday[\s\S]*ticket {2}\{"number":7\}\n\nwaiting/,
  "environments.md":
    /Done\.[\s\S]*environment_error: The session is without its environment's packages and setup script[^\n]*\n\{"apt":\["tree"\],"npm":\[\],"pip":\["requests==2\.32\.3"\]\}\nnull\n/,
  "files.md": /Bern,134794\n[\s\S]*pending\n10\n[\s\S]*status +ready\n[\s\S]*data +\[/,
  "mcp.md":
    /│ Echo: hello\n[\s\S]*get-sum[^\n]*\n\nwaiting for you[\s\S]*5[\s\S]*Added\.[\s\S]*static_bearer/,
  "memory.md":
    /│ Two spaces, no tabs\.\n[\s\S]*\/build\.md[\s\S]*session_actor[\s\S]*Four spaces\.[\s\S]*It was changed meanwhile\.\n[\s\S]*redacted_at +20/,
  "networking.md":
    /Both refused\.[\s\S]*evil\.example null not_allowed\n169\.254\.169\.254 80 not_allowed\n[\s\S]*does not allow evil\.example:80\./,
  "operating.md": /http:\/\/127\.0\.0\.1:\d+[\s\S]*org_\w+\nusr_\w+\n[\s\S]*ada@example\.com +acme +admin/,
  "repositories.md":
    /chore: say hello\n[\s\S]*│ Widget agent <agent@example\.com>\n[^\n]*Co-authored-by: Ann <ann@example\.com>\n[\s\S]*│ fetched\n[\s\S]*│ fetched with berth[0-9a-f]{31}\n[\s\S]*On branch main\n/,
  "secrets.md":
    /│ \{"login":"agent",[^\n]*\}\n[\s\S]*│ API_KEY=berth[0-9a-f]{31}\n[\s\S]*│ \{"message":"Bad credentials"\}\n/,
  "skills.md": /version +2\n[\s\S]*│ ## Version\n[\s\S]*That is how\.[\s\S]*skill_\w+ +skill|skill_\w+/,
};

/** Guides without shell blocks. */
const WITHOUT_SHELL_BLOCKS = ["errors.md", "models.md"];

test("guides: each file with shell blocks is run", async () => {
  const files = await readdir(join(ROOT, "docs/guides"));
  assert.deepEqual(files.toSorted(), [...Object.keys(GUIDES), ...WITHOUT_SHELL_BLOCKS].toSorted());
});

for (const [name, expected] of Object.entries(GUIDES)) {
  test(`${name}: the shell blocks print what the guide says`, { timeout: 300_000 }, async () => {
    const cwd = join(directory, name);
    await mkdir(cwd);
    const { BERTH_URL: _, BERTH_TOKEN: __, ...operator } = env;
    const variables = name === "operating.md" ? operator : env;
    const script = (await shellBlocks(join(ROOT, "docs/guides", name), addresses)).join("");
    const { code, output } = await runShell("bash", `set -eo pipefail\n${script}`, { cwd, env: variables });
    assert.equal(code, 0, output);
    assert.match(output, expected);
  });
}

test("README.md: a session with the CLI", { timeout: 300_000 }, async () => {
  const cwd = join(directory, "commands");
  await mkdir(join(cwd, "bin"), { recursive: true });
  await symlink(join(ROOT, "bin/berth"), join(cwd, "bin/berth"));
  const blocks = await shellBlocks(join(ROOT, "README.md"), addresses);
  const script = blocks.filter((block) => block.startsWith("bin/berth ")).join("");
  const { code, output } = await runShell("bash", `set -eo pipefail\n${script}`, {
    cwd,
    env: { ...env, BERTH_DATA_DIR: berth.dataDir },
  });
  assert.equal(code, 0, output);
  assert.match(output, /> Now open a pull request/);
});

for (const shell of ["bash", "dash"]) {
  test(`README.md: a session with curl, in ${shell}`, { timeout: 300_000 }, async () => {
    const cwd = join(directory, shell);
    await mkdir(join(cwd, ".berth"), { recursive: true });
    await writeFile(join(cwd, ".berth/token"), `${env.BERTH_TOKEN}\n`);
    const blocks = await shellBlocks(join(ROOT, "README.md"), addresses);
    const script = blocks.find((block) => block.startsWith("export BERTH=")) ?? "";
    const { output } = await runShell(shell, `set -e\n${script}`, { cwd, env, until: "session.status_idle" });
    assert.match(output, /"text":"That is my sandbox\."/);
  });
}

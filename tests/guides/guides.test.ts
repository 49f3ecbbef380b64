import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { notInSample } from "../effort/effort.ts";
import {
  type BearerProxy,
  type EverythingServer,
  startBearerProxy,
  startEverything,
} from "../mcp-host/mcp-host.ts";
import { startPostgres } from "../postgres-server/postgres-server.ts";
import { S3_CREDENTIALS, type S3Host, startS3Host } from "../s3-host/s3-host.ts";
import { enterOwnNetwork } from "./own-network.ts";
import { prepareOwnServers } from "./own-servers.ts";
import { type RunningUp, startUp } from "./running-up.ts";
import { runShell, shellBlocks } from "./shell-blocks.ts";

/**
 * Runs every shell block of the guides and the README as printed, each document in a fresh shell. The
 * directory is like a clone in which `script/up` runs.
 */

const ROOT = join(import.meta.dirname, "../..");
let clone: string;
let everything: EverythingServer;
let proxy: BearerProxy;
let s3: S3Host;
let up: RunningUp;
/** The variables of a user's shell before the first line. */
let shell: Record<string, string>;

enterOwnNetwork();

before(async () => {
  clone = await mkdtemp(join(tmpdir(), "berth-guides-"));
  await mkdir(join(clone, "bin"));
  await symlink(join(ROOT, "bin/berth"), join(clone, "bin/berth"));
  everything = await startEverything();
  proxy = await startBearerProxy(everything.port, "token-of-mcp");
  s3 = await startS3Host();
  const { host } = new URL(proxy.url);
  up = await startUp(clone, { BERTH_ROOTFS: "host", BERTH_EGRESS_ALLOW_PRIVATE: `${host},127.0.0.1:9410` });
  shell = { PATH: process.env.PATH ?? "", HOME: clone, TMPDIR: clone };
});
after(async () => {
  await up.stop();
  s3.close();
  proxy.stop();
  await everything.stop();
  await rm(clone, { recursive: true, force: true });
});

/** The output of each guide's shell blocks, in this order, among other output. */
const GUIDES: Record<string, RegExp> = {
  "cli.md": /static_bearer[\s\S]*text\/csv[\s\S]*agent\/Applied created/,
  "contents-in-s3.md":
    /ok +contents +A small object was written[^\n]*\nready\n[\s\S]*1 contents \(14 bytes\) were copied from s3:[\s\S]*0 contents \(0 bytes\) were copied from disk to s3:[^\n]*, and 1 were there before\.[\s\S]*no file contents: they are only in s3:[\s\S]*The backup can be restored/,
  "console.md": /^http:\/\/127\.0\.0\.1:\d+\/console\/sign-in#code=[\w-]{43}$/m,
  "ci.md": /│ 3 tests failed\n[\s\S]*^BERTH_OUTCOME=end_turn$[\s\S]*^\| State \| done \|$/m,
  "configuration.md":
    /The settings are valid; the settings file is \/[^\n]*berth\.yaml\.\n[\s\S]*^port +4280 +--port$[\s\S]*^git_http_hosts +git\.internal,git\.internal:8080 +\/[^\n]*berth\.yaml, line 3$[\s\S]*^max_pids +400 +BERTH_MAX_PIDS$[\s\S]*wrong\.yaml, line 1: max_pidss is not a setting; the nearest is max_pids\.\nexit code 2\n/m,
  "many-machines.md":
    /listening on http:\/\/127\.0\.0\.1:4285\n[\s\S]*health and metrics at http:\/\/127\.0\.0\.1:4181\n[\s\S]*\{"status":"ok"\}[\s\S]*^done[\s\S]* api +[\s\S]*The role runner needs BERTH_DATABASE_URL[^\n]*\nexit code 2\n/m,
  "confirmations.md":
    /Bash {2}rm -rf build\n\nwaiting for you[\s\S]*\(no output\)[\s\S]*Not on a Friday[\s\S]*ticket {2}\{"number":7\}\n\nwaiting/,
  "explore.md":
    /Explore[^\n]*\n {2}│ \(1 call · [^\n]*\)\n {2}│ The tax is in rates\.txt:2\.\n[\s\S]*It is 19\.[\s\S]*in the loop: agent\.tool_result\n[\s\S]*in the loop: agent\.message\n/,
  "deployments.md":
    /^id +drun_\w+\n[\s\S]*^trigger_context\.type +manual\n[\s\S]*^sess_\w+ +[\s\S]*^status +paused\n[\s\S]*^status +active\n[\s\S]*^archived_at +20/m,
  "environments.md":
    /Done\.[\s\S]*"runtimes": \[[\s\S]*Pushed\.[\s\S]*│ dev\n {2}│ made\n[\s\S]*"honoured":\["features","containerEnv","onCreateCommand"\][^\n]*"property":"privileged"[^\n]*"environment_variable_names":\["MODE"\][\s\S]*environment_error: The session runs without its environment's packages and setup script[^\n]*\n\{"apt":\["tree"\],"npm":\[\],"pip":\["requests==2\.32\.3"\]\}\nnull\n/,
  "files.md": /Bern,134794\n[\s\S]*pending\n10\n[\s\S]*status +ready\n[\s\S]*data +\[/,
  "mcp.md":
    /│ Echo: hello\n[\s\S]*get-sum[^\n]*\n\nwaiting for you[\s\S]*5[\s\S]*Added\.[\s\S]*static_bearer/,
  "follow.md":
    /I would open a pull request\.[\s\S]*"status": "waiting",\n {2}"attempts": 0,\n {2}"max_attempts": 5\n[\s\S]*^\{"type":"ended","message":"[^"]+"\}$/m,
  "forward.md": /^id +env_\w+\n[\s\S]*^env_\w+ +environment[\s\S]*^env_\w+ shared-tools$/m,
  "kubernetes.md": /│ kept\n[\s\S]*│ still here\n[\s\S]*ran out of memory/,
  "memory.md":
    /│ Two spaces, no tabs\.\n[\s\S]*\/build\.md[\s\S]*session_actor[\s\S]*Four spaces\.[\s\S]*It was changed meanwhile\.\n[\s\S]*redacted_at +20/,
  "networking.md":
    /Both refused\.[\s\S]*evil\.example null not_allowed\n169\.254\.169\.254 80 not_allowed\n[\s\S]*does not allow evil\.example:80\./,
  "observability.md": /^berth_runner_up 1$/m,
  "backup.md":
    /has everything until [\s\S]*The backup can be restored[\s\S]*^Restored: [\s\S]*have the new key\.$/m,
  "limits.md":
    /^org_\w+\n[\s\S]*^usr_\w+\n[\s\S]*^open_sessions +500 [\s\S]*^open_sessions +none [\s\S]*^sessions +90 /m,
  "running.md":
    /^berth: listening on http:\/\/127\.0\.0\.1:4280\n[\s\S]*\{"status":"ok"\}Berth \S+: ready\n[\s\S]*^sessions +0 running/m,
  "previews.md": /^http:\/\/[a-z2-7]{26}\.localhost:\d+\/\.berth\/enter#[\w-]{43}\n[\s\S]*"type":"preview"/m,
  "scim.md":
    /^org_\w+\nsvc_\w+\n\{"schemas"[\s\S]*"totalResults":1[\s\S]* member +[\s\S]* admin +[\s\S]*scim\.groups\.create[\s\S]*scim\.users\.create/m,
  "sharing.md": /^visibility +organization\n[\s\S]*^your_access +own\n[\s\S]*^visibility +private\n/m,
  "triggers.md":
    /^202 \{"status":"pending"\}\n202 \{"status":"ignored"\}\n[\s\S]*ignored[\s\S]*started[\s\S]*^sess_\w+ /m,
  "upgrading.md": /up to date\.\n[\s\S]*up to date\.\n/,
  "users-and-tokens.md":
    / provisioning [\s\S]*^org_\w+\n[\s\S]*ada@example\.com +acme +admin[\s\S]*adminUsers\.enable[\s\S]*^erasure_\w+ /m,
  "own-postgresql.md":
    /^sync\n[\s\S]*^> Say hello\n[\s\S]*^error: The database is not available: 127\.0\.0\.1:5442 accepts no writes: it is a standby\nexit code 1\n[\s\S]*server promoted\n\{"status":"ok"\}[\s\S]*^> Say hello again\n[\s\S]*up to date\.\n[\s\S]*session_deleted\n[\s\S]*^f\n[\s\S]*^sess_\w+ +done\b[^\n]* This session will be missed\n[\s\S]*up to date\.\n/m,
  "repositories.md":
    /chore: say hello\n[\s\S]*│ Widget agent <agent@example\.com>\n[^\n]*Co-authored-by: Ann <ann@example\.com>\n[\s\S]*│ fetched\n[\s\S]*│ fetched with berth[0-9a-f]{31}\n[\s\S]*On branch main\n/,
  "webhooks.md": /ok +true\n[\s\S]*^vault\.created vault_\w+\n[\s\S]*delivered[\s\S]*state +disabled/m,
  "connections.md": /ok +true\n[\s\S]*acme\/widget[\s\S]*main[\s\S]*│ fetched/,
  "secrets.md":
    /│ \{"login":"agent",[^\n]*\}\n[\s\S]*│ API_KEY=berth[0-9a-f]{31}\n[\s\S]*│ \{"message":"Bad credentials"\}\n/,
  "tls-and-proxies.md":
    /^berth: listening on https:\/\/127\.0\.0\.1:4443\n\{"status":"ok"\}[\s\S]*The settings are valid/m,
  "budgets.md":
    /^ +"amount": "2500",$[\s\S]*^ +"amount": "0",$[\s\S]*^spend_cents +100000 +[\s\S]*^spend_cents_per_day +2000 [\s\S]*^MODEL +SO FAR +PER DAY +BY /m,
  "usage.md":
    /^DAY +SESSIONS +TURNS[^\n]*\n[\s\S]*^total +\d+ +\d+ [^\n]*\$0\.00$[\s\S]*^AGENT +ID +SESSIONS[\s\S]*^ +"cost": 0$/m,
  "workspace.md":
    /\/data\/widget {2}main\n +[0-9a-f]{10} +local +chore: build\n +A +\+1 -0 +built\.txt\n +A +\+1 -0 +draft\.txt\ndiff --git a\/draft\.txt[\s\S]*\+draft\n[\s\S]*report\/\n[\s\S]*widget\/\n42\nreport\/answer\.txt\n42\n/,
  "skills.md": /version +2\n[\s\S]*│ ## Version\n[\s\S]*That is how\./,
};

/** Further variables that a guide presumes. */
const PREPARED: Record<string, (t: TestContext) => Promise<Record<string, string>>> = {
  "mcp.md": async () => ({ MCP_URL: proxy.url, MCP_TOKEN: proxy.token }),
  "contents-in-s3.md": async () => ({ ...S3_CREDENTIALS, BUCKET: s3.place }),
  // Where npm has put the verifier.
  "webhooks.md": async () => ({ NODE_PATH: join(ROOT, "node_modules") }),
  // The guide presumes an installed service and its client.
  "kubernetes.md": async () => ({ BASH_ENV: join(clone, ".berth/env") }),
  "many-machines.md": async (t) => {
    const postgres = await startPostgres({ databases: ["berth"] });
    t.after(() => postgres.stop());
    return { DATABASE: postgres.url("berth") };
  },
  "own-postgresql.md": async (t) => {
    const { variables, remove } = prepareOwnServers();
    t.after(remove);
    return variables;
  },
};

/** Guides without shell blocks. */
const WITHOUT_SHELL_BLOCKS = ["errors.md", "installing.md", "models.md", "sandbox-engines.md"];

/** The guide whose block follows a stream until the reader ends it, so that a separate test runs it. */
const ENDLESS = "api.md";

test("guides: each file with shell blocks is run", async () => {
  const files = await readdir(join(ROOT, "docs/guides"));
  assert.deepEqual(files.toSorted(), [...Object.keys(GUIDES), ...WITHOUT_SHELL_BLOCKS, ENDLESS].toSorted());
});

for (const [place, [name, expected]] of Object.entries(GUIDES).entries()) {
  test(`${name}: the shell blocks print what the guide says`, {
    timeout: 600_000,
    skip: notInSample(place, 2),
  }, async (t) => {
    const script = (await shellBlocks(join(ROOT, "docs/guides", name))).join("");
    const env = { ...shell, ...(await PREPARED[name]?.(t)) };
    const { code, output } = await runShell("bash", `set -eo pipefail\n${script}`, { cwd: clone, env });
    assert.equal(code, 0, output);
    assert.match(output, expected);
  });
}

test("mcp.md: without a server → the first lines say what is missing", async () => {
  const [first = ""] = await shellBlocks(join(ROOT, "docs/guides/mcp.md"));
  const { code, output } = await runShell("bash", first, { cwd: clone, env: shell });
  assert.notEqual(code, 0);
  assert.match(output, /MCP_URL: the address of your MCP server/);
});

test("README.md: a session with the CLI", { timeout: 600_000 }, async () => {
  const blocks = await shellBlocks(join(ROOT, "README.md"));
  // A reader puts their own repository and model here.
  const script = blocks
    .filter((block) => block.startsWith("bin/berth "))
    .join("")
    .replaceAll("https://github.com", "$GIT_SERVER")
    .replaceAll("GITHUB_TOKEN", "GIT_TOKEN")
    .replaceAll("anthropic/claude-opus-5", "rehearsal/steps");
  const { code, output } = await runShell("bash", `set -eo pipefail\n. .berth/env\n${script}`, {
    cwd: clone,
    env: shell,
  });
  assert.equal(code, 0, output);
  assert.match(output, /> Now open a pull request/);
});

for (const program of ["bash", "dash"]) {
  test(`${ENDLESS}: a session with curl, in ${program}`, { timeout: 600_000 }, async () => {
    const script = (await shellBlocks(join(ROOT, "docs/guides", ENDLESS))).join("");
    const options = { cwd: clone, env: shell, until: "session.status_idle" };
    const { output } = await runShell(program, `set -e\n${script}`, options);
    assert.match(output, /"text":"That is my sandbox\."/);
  });
}

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { bash, runTurn } from "../acceptance/harness/fixtures.ts";
import { notInSample } from "../effort/effort.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import { makeTenantObjects, type TenantObjects } from "./harness/tenant-objects.ts";

/**
 * Runs the curl example of every operation in the API reference. Those of the command line and the SDK are
 * run for one operation of each kind. All of the SDK's examples are type-checked.
 */

const root = fileURLToPath(new URL("../..", import.meta.url));

let berth: Berth;
let api: Api;
let operator: Api;
/** A directory above that of all examples, with the packages that the SDK's examples import. */
let base: string;
let directory: string;
let host: GitHost;
before(async () => {
  host = await startGitHost({ dir: await mkdtemp(join(tmpdir(), "git-host-")), plain: true });
  await host.createRepository({ org: "acme", name: "shop", private: false, files: { "a.txt": "a" } });
  berth = await Berth.start({
    settings: {
      BERTH_LOG_LEVEL: "error",
      BERTH_GIT_HTTP_HOSTS: host.host,
      BERTH_EGRESS_ALLOW_PRIVATE: host.host,
    },
  });
  api = await berth.client({ role: "admin" });
  // With whom examples share.
  await berth.client({ user: "grace@example.com" });
  operator = await berth.operator();
  base = await mkdtemp(join(tmpdir(), "berth-examples-"));
  await symlink(join(root, "node_modules"), join(base, "node_modules"));
  directory = join(base, "work");
  await mkdir(directory);
  await writeFile(join(directory, "notes.txt"), "notes\n");
});
after(async () => {
  await berth.stop();
  await host.stop();
  await rm(base, { recursive: true, force: true });
});

interface Example {
  id: string;
  label: string;
  source: string;
  contentTypes: string[];
}

test("every operation has an example that works", { timeout: 600_000 }, async () => {
  const all = await examplesOf("curl");
  const examples = all.filter((_, place) => notInSample(place, 2) === false);
  let count = 0;
  for (const example of examples) {
    count += 1;
    const canary = `example${count}`;
    const isOperators = example.id.startsWith("admin");
    const objects = isOperators ? { ids: {}, canary } : await makeTenantObjects(api, canary);
    await prepare(example.id, objects);
    const { output, errors } = await run(example, objects);
    assert.ok(!output.includes('"type":"error"'), `${example.id}: ${output}\n${example.source}`);
    assert.ok(output !== "", `${example.id}: ${errors}`);
  }
  console.log(`${examples.length} of ${all.length} examples`);
});

for (const label of ["berth", "@berth/sdk"]) {
  test(`examples of each kind work: ${label}`, { timeout: 600_000 }, async () => {
    const examples = await examplesOf(label);
    const objects = await makeTenantObjects(api, `kinds-${label.replace(/\W/g, "")}`);
    for (const id of KINDS) {
      const example = examples.find((one) => one.id === id);
      assert.ok(example);
      await prepare(id, objects);
      const { output, errors } = await run(example, objects);
      assert.ok(output !== "", `${id}: ${errors}\n${example.source}`);
    }
  });
}

test("every example of the SDK fits its types", { timeout: 600_000 }, async () => {
  const folder = await mkdtemp(join(root, "node_modules/.berth-examples-"));
  try {
    for (const { id, source } of await examplesOf("@berth/sdk"))
      await writeFile(join(folder, `${id}.ts`), `${source}\n`);
    const config = { extends: join(root, "tsconfig.json"), include: ["*.ts"], exclude: [] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const checked = spawn(join(root, "node_modules/.bin/tsc"), ["-p", folder, "--noEmit"]);
    const report = await text(checked.stdout);
    assert.equal(report, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/**
 * One operation of each kind: a body, a page with a filter, an object, a form, bytes, a file's content, a
 * stream.
 */
const KINDS = [
  "agents.create",
  "sessions.list",
  "memories.list",
  "sessions.get",
  "sessions.create",
  "vaultCredentials.create",
  "files.upload",
  "files.content",
  "files.putContent",
  "workspace.content",
  "changes.diff",
  "skills.create",
  "events.stream",
  "adminOperatorTokens.create",
  "adminAuditEntries.list",
];

async function examplesOf(label: string): Promise<Example[]> {
  const document: AnyJson = await (await fetch(`${berth.url}/openapi.json`)).json();
  return Object.values<AnyJson>(document.paths).flatMap((methods) =>
    Object.values<AnyJson>(methods).map((operation) => {
      const samples: AnyJson[] = operation["x-codeSamples"] ?? [];
      const source = samples.find((sample) => sample.label === label)?.source;
      assert.equal(typeof source, "string", `${operation.operationId} has an example`);
      return {
        id: operation.operationId,
        label,
        source,
        contentTypes: Object.keys(
          operation.responses["200"]?.content ?? operation.responses["201"]?.content ?? {},
        ),
      };
    }),
  );
}

async function aLogin(): Promise<{ user_code: string; device_code: string }> {
  return await api.ok("POST", "/device_authorizations", {});
}

/**
 * Creates the subjects of the operator's examples, so that they do not affect the tokens of the other
 * examples.
 */
async function administered(id: string): Promise<Record<string, string>> {
  const make = (path: string, body: object) => operator.ok("POST", `/api/v1/admin${path}`, body);
  administeredCount += 1;
  const name = `example ${administeredCount} of ${id}`;
  const { id: organization_id } = await make("/organizations", { name });
  const email = `${administeredCount}.${id}@example.com`;
  const { id: user_id } = await make("/users", { email, organization_id });
  const { id: service_account_id } = await make("/service_accounts", { name, organization_id });
  const { id: operator_token_id } = await make("/operator_tokens", { name });
  const { id: token_id } = await make("/tokens", { user_id });
  const host_id = (await readFile(join(berth.dataDir, "installation"), "utf8")).trim();
  const ids = { organization_id, user_id, service_account_id, operator_token_id, token_id };
  const others = { owner_id: user_id, host_id, user_code: (await aLogin()).user_code };
  const erasure = id === "adminErasures.get" ? await make("/erasures", { organization_id }) : null;
  const tenants = id === "adminSessions.release" ? (await makeTenantObjects(api, "released")).ids : {};
  return { ...tenants, ...ids, ...others, ...(erasure !== null && { erasure_id: erasure.id }) };
}

let administeredCount = 0;

/** Gives the session a disk with a file. */
async function withNotes({ session_id }: Record<string, string>): Promise<Record<string, string>> {
  await runTurn(api, session_id ?? "", bash("echo notes >/data/notes.txt"));
  return {};
}

/** Creates objects that an example needs besides the tenant objects. */
async function prepare(id: string, { ids }: TenantObjects): Promise<void> {
  const steps: Record<string, () => Promise<Record<string, string>>> = {
    "files.putContent": async () => {
      const file = await api.ok("POST", "/files", { filename: "notes.txt" });
      return { file_id: file.id };
    },
    "sessionResources.rotate": async () => {
      const resources = [{ type: "hosted_repository", url: "https://github.com/acme/shop" }];
      const { agent_id: agent, environment_id } = ids;
      const session = await api.ok("POST", "/sessions", { agent, environment_id, resources });
      return { session_id: session.id, resource_id: session.resources[0].id };
    },
    "agents.delete": async () => {
      const agent = await api.ok("POST", "/agents", { name: "unused", model: "rehearsal/steps" });
      return { agent_id: agent.id };
    },
    "deviceAuthorizations.lookup": aLogin,
    "deviceAuthorizations.approve": aLogin,
    "deviceAuthorizations.deny": aLogin,
    "deviceTokens.create": async () => {
      const { user_code, device_code } = await aLogin();
      await api.ok("POST", "/device_authorizations/approve", { user_code });
      return { device_code };
    },
    // A client prints events only, and a new session has none.
    "events.stream": async () => {
      const content = [{ type: "text", text: "Hello." }];
      await api.ok("POST", `/sessions/${ids.session_id}/events`, {
        events: [{ type: "user.message", content }],
      });
      return {};
    },
    "workspace.list": () => withNotes(ids),
    "workspace.content": () => withNotes(ids),
    "changes.get": () => withNotes(ids),
    "changes.diff": async () => {
      const { agent_id: agent, environment_id } = ids;
      const resources = [{ type: "git_repository", url: `${host.url}/acme/shop` }];
      const session = await api.ok("POST", "/sessions", { agent, environment_id, resources });
      await runTurn(api, session.id, bash("echo b >/data/shop/b.txt"));
      return { session_id: session.id, resource_id: session.resources[0].id };
    },
    "connections.repositories": () => aConnection(),
    "connections.branches": () => aConnection(),
    "environments.delete": async () => {
      await api.ok("POST", `/sessions/${ids.session_id}/terminate`);
      return {};
    },
  };
  Object.assign(ids, id.startsWith("admin") ? await administered(id) : await steps[id]?.());
}

/** Creates a connection to the git host, which has the repository of the examples. */
async function aConnection(): Promise<Record<string, string>> {
  const token = host.createToken({ user: "robot", permissions: "write" });
  const auth = { type: "token", api: "github", token };
  const { id } = await api.ok("POST", "/connections", { display_name: "Acme", url: host.url, auth });
  return { connection_id: id };
}

/**
 * Runs an example with bash, in a directory with the files that it uses. A stream is killed after its first
 * output.
 */
async function run(example: Example, objects: TenantObjects): Promise<{ output: string; errors: string }> {
  const { ids, canary } = objects;
  await writeFile(
    join(directory, "SKILL.md"),
    skillText(example.id === "skills.createVersion" ? canary : `other-${canary}`),
  );
  const variables = Object.entries(ids).map(([name, value]) => [name.toUpperCase(), value]);
  const [program = "", ...args] =
    example.label === "@berth/sdk"
      ? [process.execPath, "--input-type=module-typescript", "-e", example.source]
      : ["bash", "-c", example.source];
  const child = spawn(program, args, {
    cwd: directory,
    env: {
      PATH: `${join(root, "bin")}:${process.env.PATH}`,
      BERTH_URL: berth.url,
      BERTH_TOKEN: (example.id.startsWith("admin") ? operator : api).token ?? "",
      PROVIDER_TOKEN: "provider-token",
      MCP_TOKEN: "mcp-token",
      ...Object.fromEntries(variables),
    },
    detached: true,
  });
  const result = { output: "", errors: "" };
  child.stderr.on("data", (chunk) => {
    result.errors += chunk;
  });
  child.stdout.on("data", (chunk) => {
    result.output += chunk;
    if (example.contentTypes.includes("text/event-stream")) process.kill(-(child.pid ?? 0), "SIGKILL");
  });
  await once(child, "close");
  return result;
}

function skillText(name: string): string {
  return `---\nname: ${name}\ndescription: An example.\n---\nRead this.\n`;
}

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { makeTenantObjects, type TenantObjects } from "./harness/tenant-objects.ts";

/** Runs the example of every operation, as printed in the API reference, in a shell. */

let berth: Berth;
let api: Api;
let directory: string;
before(async () => {
  berth = await Berth.start({ settings: { BERTH_LOG_LEVEL: "error" } });
  api = await berth.client({ role: "admin" });
  directory = await mkdtemp(join(tmpdir(), "berth-examples-"));
  await writeFile(join(directory, "notes.txt"), "notes\n");
});
after(async () => {
  await berth.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Example {
  id: string;
  source: string;
  contentTypes: string[];
}

test("every operation has an example that works", { timeout: 240_000 }, async () => {
  const examples = await examplesOf(berth.url);
  const page = await (await fetch(`${berth.url}/docs`)).text();
  let count = 0;
  for (const example of examples) {
    assert.ok(page.includes(escaped(example.source)), `the reference contains the example of ${example.id}`);
    count += 1;
    const objects = await makeTenantObjects(api, `example${count}`);
    await prepare(example.id, objects);
    const { output, errors } = await run(example, objects);
    assert.ok(!output.includes('"type":"error"'), `${example.id}: ${output}\n${example.source}`);
    assert.ok(output !== "", `${example.id}: ${errors}`);
  }
  console.log(`${examples.length} examples`);
});

async function examplesOf(url: string): Promise<Example[]> {
  const document: AnyJson = await (await fetch(`${url}/openapi.json`)).json();
  return Object.values<AnyJson>(document.paths).flatMap((methods) =>
    Object.values<AnyJson>(methods).map((operation) => {
      const source = operation["x-codeSamples"]?.[0]?.source;
      assert.equal(typeof source, "string", `${operation.operationId} has an example`);
      return {
        id: operation.operationId,
        source,
        contentTypes: Object.keys(
          operation.responses["200"]?.content ?? operation.responses["201"]?.content ?? {},
        ),
      };
    }),
  );
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
    "environments.delete": async () => {
      await api.ok("POST", `/sessions/${ids.session_id}/terminate`);
      return {};
    },
  };
  Object.assign(ids, await steps[id]?.());
}

/** Runs an example with bash, in a directory with the files that it uses. A stream is killed after its first output. */
async function run(example: Example, objects: TenantObjects): Promise<{ output: string; errors: string }> {
  const { ids, canary } = objects;
  await writeFile(
    join(directory, "SKILL.md"),
    skillText(example.id === "skills.createVersion" ? canary : `other-${canary}`),
  );
  const variables = Object.entries(ids).map(([name, value]) => [name.toUpperCase(), value]);
  const child = spawn("bash", ["-c", example.source], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      BERTH_URL: berth.url,
      BERTH_TOKEN: api.token ?? "",
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

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { type GitHost, startGitHost } from "../../../../../tests/git-host/git-host.ts";
import { startBerth } from "../../../test-support/berth.ts";
import { type Installation, startInstallation } from "../../../test-support/installation.ts";

const PUBLIC = "https://berth.example.com";

let host: GitHost;
let gitHub: string;
let service: Installation;
before(async () => {
  host = await startGitHost({ plain: true });
  await host.createRepository({ org: "acme", name: "widget", private: true, files: { "a.txt": "a" } });
  gitHub = `localhost:${host.port}`;
  service = await startInstallation({
    BERTH_GIT_HTTP_HOSTS: gitHub,
    BERTH_EGRESS_ALLOW_PRIVATE: gitHub,
    BERTH_PUBLIC_URL: PUBLIC,
  });
});
after(async () => {
  await service.stop();
  await host.stop();
});

/** Starts the command, and returns the address that it tells the user to open. */
async function start(...flags: string[]) {
  const args = ["connect", "github", "--host", `http://${gitHub}`, "--no-open"];
  const command = startBerth([...args, "--json", "--model", "rehearsal/steps", ...flags], {
    env: service.env,
  });
  const told = Promise.withResolvers<string>();
  createInterface({ input: command.child.stderr }).on("line", (line) => {
    const page = /(http:\/\/127\.0\.0\.1:\d+\/\S+)$/.exec(line)?.[1];
    if (page !== undefined) told.resolve(page);
  });
  command.ended.then(({ stderr }) => told.reject(new Error(stderr)), told.reject);
  return { ...command, page: await told.promise };
}

/** Submits the page's form as a browser does, and returns where GitHub sends the browser back. */
async function submit(page: string): Promise<string> {
  const shown = await fetch(page);
  assert.equal(shown.status, 200);
  const html = await shown.text();
  const [action = "", manifest = ""] = [/action="([^"]+)"/, /value="([^"]+)"/].map((pattern) =>
    (pattern.exec(html)?.[1] ?? "")
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&amp;", "&"),
  );
  const sent = await fetch(action, {
    method: "POST",
    body: new URLSearchParams({ manifest }),
    redirect: "manual",
  });
  return sent.headers.get("location") ?? assert.fail("GitHub did not send the browser back.");
}

test("connect github: app, connection and deployment in one go, deliveries are taken, and all of it is undone", {
  timeout: 120_000,
}, async () => {
  const { page, ended } = await start("--organization", "acme", "--events", "push,workflow_run.completed");
  const other = new URL("/", page).href;
  for (const path of ["", "created?code=1&state=1", "created"])
    assert.equal((await fetch(`${other}${path}`)).status, 404, path);
  const back = await submit(page);
  const next = await fetch(back, { redirect: "manual" });
  assert.equal(next.status, 303);
  assert.match(next.headers.get("location") ?? "", /\/apps\/berth-berth-example-com\/installations\/new$/);
  const app = host.apps.fromManifests.at(-1) ?? assert.fail();
  assert.deepEqual([app.organization, app.permissions.contents], ["acme", "write"]);
  assert.ok(["issues", "issue_comment", "push", "workflow_run"].every((one) => app.events.includes(one)));
  host.apps.install({ app, account: "acme" });

  const done = await ended;
  assert.equal(done.code, 0, done.stderr);
  const made = JSON.parse(done.stdout);
  assert.deepEqual([made.account, made.url], ["acme", app.hook]);
  assert.ok(
    ![done.stdout, done.stderr].some((text) => text.includes(app.secret) || text.includes("PRIVATE KEY")),
  );
  assert.ok(made.url.startsWith(`${PUBLIC}/hooks/trg_`));
  assert.equal((await service.json("connections", "test", made.connection_id)).ok, true);
  const body = JSON.stringify({ zen: "Keep it logically awesome.", hook_id: 1 });
  const deliver = (secret: string) =>
    fetch(made.url.replace(PUBLIC, service.url), {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        ...{ "x-github-event": "ping", "x-github-delivery": "6e2c6b0a-0000-4000-8000-000000000001" },
        "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
      },
    });
  assert.equal((await deliver("another secret")).status, 401);
  assert.ok((await deliver(app.secret)).ok);

  const undone = await service.json("connect", "github", "--undo", made.deployment_id);
  assert.deepEqual(
    [undone.triggers, undone.connections, undone.archived],
    [[made.trigger_id], [made.connection_id], made.deployment_id],
  );
  assert.deepEqual(undone.deletion_pages, [
    `http://${gitHub}/organizations/acme/settings/apps/berth-berth-example-com/advanced`,
  ]);
  assert.ok((await service.json("deployments", "get", made.deployment_id)).archived_at !== null);
  const again = await service.run(["connect", "github", "--undo", made.deployment_id]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /has no trigger of GitHub/);
});

/** Runs the command to its end, with an app that is installed as soon as it is made. */
async function finish(...flags: string[]) {
  const { page, ended } = await start(...flags);
  const next = await fetch(await submit(page), { redirect: "manual" });
  assert.equal(next.status, 303);
  const app = host.apps.fromManifests.at(-1) ?? assert.fail();
  host.apps.install({ app, account: "acme" });
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  return { app, page, made: JSON.parse(stdout) };
}

test("connect github: an agent, an environment, a name and a task of one's own, or a deployment that is there", {
  timeout: 120_000,
}, async () => {
  const agent = await service.json(...["agents", "create", "-f", "name=Own", "-f", "model=rehearsal/steps"]);
  const environment = await service.json("environments", "create", "-f", "name=own");
  const port = await freePort();
  const { app, page, made } = await finish(
    ...["--agent", agent.id, "--environment", environment.id, "--name", "Acme Agents"],
    ...["--task", "Do it.", "--port", `${port}`],
  );
  assert.deepEqual([app.organization, app.name, made.app], [null, "Acme Agents", "acme-agents"]);
  assert.equal(new URL(page).port, `${port}`);
  const deployment = await service.json("deployments", "get", made.deployment_id);
  assert.deepEqual(
    [deployment.name, deployment.agent.id ?? deployment.agent, deployment.environment_id],
    ["Acme Agents", agent.id, environment.id],
  );
  assert.equal(deployment.initial_events[0].content[0].text, "Do it.");
  const connection = await service.json("connections", "get", made.connection_id);
  assert.deepEqual([connection.display_name, connection.owner_type], ["Acme Agents", "user"]);

  const members = await service.run([
    ...["connect", "github", "--host", `http://${gitHub}`, "--deployment", deployment.id, "--for-all"],
  ]);
  assert.equal(members.code, 4);
  assert.match(members.stderr, /--for-all is for admins of the organization/);
  await service.admin(["users", "set-role", "owner@example.com", "admin"]);
  const again = await finish("--deployment", deployment.id, "--for-all");
  assert.equal(again.made.deployment_id, deployment.id);
  const shared = await service.json("connections", "get", again.made.connection_id);
  assert.equal(shared.owner_type, "organization");
  const undone = await service.json("connect", "github", "--undo", deployment.id);
  assert.equal(undone.triggers.length, 2);
  assert.equal(undone.connections.length, 2);

  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port: used } = taken.address() as AddressInfo;
  const refused = await service.run([
    ...["connect", "github", "--host", `http://${gitHub}`, "--model", "rehearsal/steps", "--port", `${used}`],
  ]);
  taken.close();
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /cannot be opened \(EADDRINUSE\)/);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("connect github: interrupted, a code that is worth nothing, and a wrong address → a sentence, and nothing is left", {
  timeout: 120_000,
}, async () => {
  const left = async () => [
    (await service.json("connections", "list")).data.length,
    (await service.json("deployments", "list")).data.length,
  ];
  const before = await left();
  const interrupted = await start();
  interrupted.child.kill("SIGINT");
  assert.equal((await interrupted.ended).code, 130);

  const failed = await start();
  const back = new URL(await submit(failed.page));
  back.searchParams.set("code", "00000000-0000-4000-8000-000000000000");
  assert.equal((await fetch(back)).status, 502);
  const { code, stderr } = await failed.ended;
  assert.equal(code, 1);
  assert.match(stderr, /GitHub did not give the app: it answered with status 404\./);

  const uninstalled = await start();
  await fetch(await submit(uninstalled.page), { redirect: "manual" });
  uninstalled.child.kill("SIGTERM");
  const ended = await uninstalled.ended;
  assert.equal(ended.code, 130);
  assert.match(ended.stderr, /Delete the app, which no API can: /);

  for (const address of ["http://github.example.com", "https://github.example.com/acme", "github.com"]) {
    const wrong = await service.run(["connect", "github", "--host", address]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--host must be of the form https:\/\/<host>/);
  }
  assert.deepEqual(await left(), before);
});

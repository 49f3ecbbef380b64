import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
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

import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import { covers } from "../acceptance/harness/covers.ts";
import { makeAgent, makeEnvironment, steps } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { startGitHost } from "../git-host/git-host.ts";
import { Console } from "./harness/console.ts";

const git = await startGitHost();
after(() => git.stop());
const console = await Console.start({ settings: providerSettings(git) });
const { api } = console;

before(async () => {
  for (const name of ["greeter", "parser"])
    await git.createRepository({ org: "acme", name, private: true, files: { "a.txt": "a" } });
  await makeEnvironment(api, { name: "acme" });
  await makeAgent(api, { name: "Engineer" });
});

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

async function choose(page: Page, field: string, option: string | RegExp): Promise<void> {
  await page.getByLabel(field, { exact: true }).click();
  await page.getByRole("option", { name: option }).click();
}

covers(
  ["console-screens", "console-faults", "connected-tokens"],
  "connections: made with its faults at their fields, tested, given another secret, used by a new session, and deleted",
  async () => {
    const app = git.apps.create();
    const wrong = git.apps.create();
    const installation = git.apps.install({ app, account: "acme" });
    const { page, faults } = await console.signedIn("/connections");
    const dialog = page.getByRole("dialog");
    const fill = (field: string, value: string) => dialog.getByLabel(field, { exact: true }).fill(value);
    await page.getByText("No connections yet").waitFor();
    await page.keyboard.press("n");
    await fill("Name", "Acme");
    await fill("URL of the host", git.url);
    await fill("App id", app.id);
    await fill("Installation id", installation);
    await fill("Private key", "no key");
    await press(page, "Create connection");
    await dialog
      .getByText(/must be an RSA private key in PEM form/)
      .first()
      .waitFor();
    await fill("Private key", wrong.privateKey);
    await press(page, "Create connection");
    await dialog.getByRole("button", { name: "Test connection" }).click();
    await dialog.getByRole("alert").getByText("rejects the app's id or its private key.").waitFor();
    await fill("New private key", app.privateKey);
    await press(page, "Rotate the secret");
    await page.getByText("The secret is rotated").waitFor();
    await press(page, "Test connection");
    await dialog.getByRole("status").getByText("installed for 'acme'").waitFor();
    assert.ok(!(await page.content()).includes(app.privateKey.slice(100, 140)));

    await page.goto(`${console.origin}/console/new`);
    await page.getByLabel("Task", { exact: true }).fill(JSON.stringify(steps({ say: "Done." })));
    await press(page, "Add repository");
    const repository = page.getByLabel("Repository", { exact: true });
    await repository.fill("pars");
    await page.locator("datalist option[value='acme/parser']").waitFor({ state: "attached" });
    await repository.fill("acme/parser");
    await page.locator("datalist option[value='main']").waitFor({ state: "attached" });
    await choose(page, "Type", /At a git provider/);
    await press(page, "Start session");
    await page.waitForURL(/\/console\/sessions\/sess/);
    const id = /sess_\w+/.exec(page.url())?.[0];
    const session = await api.ok("GET", `/sessions/${id}`);
    const [{ url, connection_id, error }] = session.resources;
    assert.deepEqual([url, error], [`${git.url}/acme/parser`, null]);
    assert.match(connection_id, /^conn_/);
    await api.ok("POST", `/sessions/${id}/archive`);
    await waitUntil(
      () => git.apps.minted.every(({ revoked }) => revoked),
      () => "the session's token is not revoked",
    );

    await page.goto(`${console.origin}/console/connections?connection=${connection_id}`);
    await press(page, "Delete…");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("The connection is deleted").waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-screens", "console-faults"],
  "connections: who uses each is in the list, and what all use is changed by admins alone",
  async () => {
    const org = "used-connections";
    const admin = await console.berth.client({ org, user: "admin@used.example.com", role: "admin" });
    const member = await console.berth.client({ org, user: "member@used.example.com" });
    const body = { url: git.url, auth: { type: "token", token: "x" } };
    await admin.ok("POST", "/connections", { ...body, display_name: "Acme", owner_type: "organization" });
    await member.ok("POST", "/connections", { ...body, display_name: "Mine" });
    const { page, faults } = await console.signedIn("/connections", { token: member.token });
    const line = (name: string) => page.getByRole("row").filter({ hasText: name });
    await line("Acme").getByText("Everyone", { exact: true }).waitFor();
    await line("Mine").getByText("Me", { exact: true }).waitFor();
    const open = async (name: string, texts: [shown: string, hidden: string]) => {
      await page.getByRole("link", { name, exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(texts[0], { exact: true }).waitFor();
      assert.equal(await dialog.getByText(texts[1], { exact: true }).count(), 0);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    };
    const admins = "Admins of the organization replace its secret and delete it.";
    await open("Acme", [admins, "Rotate the secret"]);
    await open("Mine", ["Rotate the secret", admins]);
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-narrow"],
  "filters of the sessions at 390 pixels: all are in view, with one pressed",
  async () => {
    const { page } = await console.signedIn("/sessions?shared=true", { width: 390, height: 844 });
    for (const name of ["State", "Shared with me", "Not seen", "Clear"]) {
      const box = await page.getByRole("button", { name, exact: true }).boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 390, name);
    }
  },
);

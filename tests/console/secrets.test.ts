// Tests the objects that hold secrets, in a browser: vaults with their credentials, and tokens.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type AnyJson, Api, assertError } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { makeFile } from "../acceptance/harness/fixtures.ts";
import { Console } from "./harness/console.ts";

const FIRST_SECRET = "canary-secret-of-the-registry";
const SECOND_SECRET = "canary-secret-after-the-rotation";

const console = await Console.start();
const { api, origin } = console;

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

/** Presses the button of a form, and waits until one of its fields shows a fault. */
async function refused(page: Page, verb: string, field: string, message: string | RegExp): Promise<void> {
  await press(page, verb);
  const label = page.getByLabel(field, { exact: true });
  await label.and(page.locator("[aria-invalid=true]")).waitFor();
  await page.getByRole("dialog").getByText(message).first().waitFor();
}

/** Whether a text is in the page or in the browser's storage. */
async function holds(page: Page, text: string): Promise<boolean> {
  const stored = await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  const fields = await page
    .locator("input, textarea")
    .evaluateAll((all) => all.map((field) => (field as unknown as { value: string }).value).join("\n"));
  return `${await page.content()}\n${stored}\n${fields}`.includes(text);
}

covers(
  ["console-screens", "console-faults", "console-drafts"],
  "a vault: a credential with its faults at their fields, whose value is never shown again, is rotated and archived",
  async () => {
    const { page, faults } = await console.signedIn("/vaults");
    const dialog = page.getByRole("dialog");
    await page.getByText("No vaults yet").waitFor();
    await page.keyboard.press("n");
    await refused(page, "Create vault", "Name", /display_name/);
    await dialog.getByLabel("Name", { exact: true }).fill("Production");
    await press(page, "Create vault");
    await page.getByRole("heading", { name: "Production", level: 1 }).waitFor();
    const vault = /vault_\w+/.exec(page.url())?.[0];

    await page.getByText("No credentials yet").waitFor();
    await page.keyboard.press("n");
    const fill = (field: string, value: string) => dialog.getByLabel(field, { exact: true }).fill(value);
    await fill("Variable", "2BAD");
    await fill("Hosts that receive it", "registry.example.com");
    await fill("Secret", FIRST_SECRET);
    await refused(page, "Create credential", "Variable", /secret_name/);
    await fill("Variable", "NPM_TOKEN");
    await fill("Hosts that receive it", "10.0.0.1");
    await refused(page, "Create credential", "Hosts that receive it", /allowed_hosts/);
    await fill("Hosts that receive it", "registry.example.com");
    await page.reload();
    await dialog.waitFor();
    assert.equal(await dialog.getByLabel("Variable", { exact: true }).inputValue(), "NPM_TOKEN");
    assert.equal(
      await holds(page, FIRST_SECRET),
      false,
      "of what is typed only the secret is lost by a reload",
    );
    await refused(page, "Create credential", "Secret", /secret_value/);
    await fill("Secret", FIRST_SECRET);
    await press(page, "Create credential");
    const card = page.getByRole("article", { name: "NPM_TOKEN" });
    await card.getByText("registry.example.com").waitFor();
    await card.getByText("never shown").waitFor();
    assert.equal(await holds(page, FIRST_SECRET), false, "once it is made, the page does not have it");
    await page.goto(`${origin}/console/vaults/${vault}?tab=api`);
    await page.getByRole("tabpanel").getByText("display_name").first().waitFor();
    assert.equal(await holds(page, FIRST_SECRET), false);

    await page.getByRole("tab", { name: "Credentials" }).click();
    const [made] = (await api.ok("GET", `/vaults/${vault}/credentials`)).data;
    await card.getByRole("button", { name: /^Rotate/ }).click();
    assert.equal(await dialog.getByLabel("New secret").inputValue(), "");
    await fill("New secret", SECOND_SECRET);
    const request = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith(made.id));
    await press(page, "Save and rotate");
    assert.deepEqual((await request).postDataJSON(), {
      auth: { type: "environment_variable", secret_value: SECOND_SECRET },
    });
    await page.getByText("The credential is saved").waitFor();
    const [rotated] = (await api.ok("GET", `/vaults/${vault}/credentials`)).data;
    assert.notEqual(rotated.updated_at, made.updated_at);
    assert.equal(await holds(page, SECOND_SECRET), false);

    await card.getByRole("button", { name: "More of NPM_TOKEN" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    assert.equal(
      (await api.ok("GET", `/vaults/${vault}/credentials/${made.id}`)).archived_at,
      null,
      "asks first",
    );
    await dialog.getByRole("button", { name: "Archive", exact: true }).click();
    await page.getByText("No credentials yet").waitFor();
    await press(page, "Archived");
    await card.getByText("destroyed").waitFor();
    assert.match(page.url(), /archived=true/);
    await page.getByRole("button", { name: "More of this vault" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await dialog.getByRole("button", { name: "Archive", exact: true }).click();
    await page
      .getByRole("banner")
      .or(page.locator("header"))
      .getByText("Archived", { exact: true })
      .waitFor();
    assert.equal(await page.getByRole("button", { name: "New credential" }).count(), 0);
    assert.notEqual((await api.ok("GET", `/vaults/${vault}`)).archived_at, null);
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-screens", "console-faults"],
  "a token: made with scopes, shown once, last used; revoked, and refused at its next request",
  async () => {
    await makeFile(api, "text");
    const { page, faults } = await console.signedIn("/tokens");
    const dialog = page.getByRole("dialog");
    await page.getByRole("row").filter({ hasText: "This sign-in" }).waitFor();
    await page.keyboard.press("n");
    await refused(page, "Create token", "Name", /name/);
    await dialog.getByLabel("Name", { exact: true }).fill("backup");
    for (const scope of ["read Sessions", "write Sessions", "read Agents", "read Environments"])
      await dialog.getByRole("checkbox", { name: scope }).click();
    await press(page, "Create token");
    await dialog
      .getByText(/Field 'scopes'/)
      .first()
      .waitFor();
    await dialog.getByRole("checkbox", { name: "read Files" }).click();
    await press(page, "Create token");
    const shown = dialog.getByTestId("new-token");
    const token = (await shown.textContent()) ?? "";
    assert.match(token, /^berth_pat_/);
    await press(page, "I have copied it");
    const line = page.getByRole("row").filter({ hasText: "backup" });
    await line.getByText("read files").waitFor();
    await line.getByText("never", { exact: true }).waitFor();
    assert.equal(await holds(page, token), false, "it was shown once");

    const holder = new Api(api.url, token);
    assert.equal((await holder.ok("GET", "/files")).data.length, 1);
    assertError(await holder.get("/sessions"), 403, "permission_error");
    await page.reload();
    await line.getByText("just now", { exact: true }).waitFor();
    assert.equal(await holds(page, token), false);

    await line.getByRole("button", { name: "backup", exact: true }).click();
    await dialog
      .getByText(`berth_pat_…${token.slice(-4)}`)
      .first()
      .waitFor();
    assert.match(page.url(), /token=tok_/);
    await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
    const asked = page.getByRole("dialog", { name: "Revoke backup?" });
    await asked.getByText("Programs that use it are refused from their next request on.").waitFor();
    assert.equal((await holder.get("/files")).status, 200, "it asks first");
    await asked.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.getByText("The token is revoked", { exact: true }).waitFor();
    assertError(await holder.get("/files"), 401, "authentication_error");
    await page.goto(`${origin}/console/tokens?q=backup`);
    await page.getByText("No matches").waitFor();
    await press(page, "Revoked and expired");
    await line.getByText("Revoked", { exact: true }).waitFor();
    assert.match(page.url(), /ended=true/);
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-screens", "console-faults"],
  "a login of another machine: a code that nobody has, and one that is looked up, approved for what one may, or denied",
  async () => {
    const guest = new Api(origin, null);
    const ask = (client_name: string, scopes: string[]) =>
      guest.ok("POST", "/device_authorizations", { client_name, scopes });
    const [laptop, stranger] = [await ask("ada's laptop", ["agents:read"]), await ask("a stranger", ["*"])];
    const { page, faults } = await console.signedIn("/tokens");
    await page.getByRole("link", { name: "Approve a login" }).click();
    const code = page.getByLabel("Code", { exact: true });
    await code.fill("BBBB-BBBB");
    await press(page, "Find login");
    await code.and(page.locator("[aria-invalid=true]")).waitFor();
    await page.locator("main").getByText("request_id").waitFor();

    await page.goto(laptop.verification_uri);
    await code.fill(laptop.user_code.toLowerCase());
    await press(page, "Find login");
    const asks = page.getByRole("region", { name: "The device" });
    for (const text of ["ada's laptop", "127.0.0.1", "read agents"])
      await asks.getByText(text).first().waitFor();
    assert.equal((await poll(guest, laptop)).body.error.code, "authorization_pending", "it asks first");
    await press(page, "Approve");
    await page.getByText("Approved. The device gets its token within seconds").waitFor();
    const { name, scopes } = (await poll(guest, laptop)).body;
    assert.deepEqual([name, scopes], ["ada's laptop", ["agents:read"]]);

    await page.goto(`${origin}/console/device?code=${stranger.user_code}`);
    await asks.getByText("a stranger").waitFor();
    await press(page, "Deny");
    await page.getByText("Denied. The device gets no token.").waitFor();
    assert.equal((await poll(guest, stranger)).body.error.code, "access_denied");
    assert.deepEqual(faults, []);
  },
);

function poll(guest: Api, { device_code }: AnyJson) {
  return guest.call("POST", "/device_tokens", { device_code });
}

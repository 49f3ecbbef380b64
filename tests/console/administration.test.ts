import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { Api } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { Console } from "./harness/console.ts";
import { drawn } from "./harness/drawn.ts";

const console = await Console.start();
const { berth, origin } = console;
const ADMIN = "/api/v1/admin";

/** Returns an organization with an admin and a member, and what the admin's client adds to it. */
async function organization(org: string) {
  const at = (name: string) => `${name}@${org}.example.com`;
  const admin = await berth.client({ org, user: at("admin"), role: "admin" });
  const member = await berth.client({ org, user: at("member") });
  const { organization: own } = await admin.ok("GET", "/tokens/current");
  return { at, admin, member, id: own.id as string };
}

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const tab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();
const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

covers(
  ["console-administration", "console-faults"],
  "administration: users are added with a first token, made admins, disabled, enabled and erased with a receipt",
  async () => {
    const { at, admin } = await organization("people");
    const { page, faults } = await console.signedIn("/", { token: admin.token });
    await page.getByRole("link", { name: "Administration" }).click();
    await row(page, at("admin")).getByText("You").waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email", { exact: true }).fill("grace");
    await press(page, "Create user");
    await dialog.getByText("Field 'email' must be an email address.").first().waitFor();
    await dialog.getByLabel("Email", { exact: true }).fill(at("grace"));
    await dialog.getByText("Create a first token").click();
    await press(page, "Create user");
    const token = await dialog.getByTestId("new-token").textContent();
    await press(page, "I have copied it");
    const grace = new Api(berth.url, token);
    const { principal } = await grace.ok("GET", "/whoami");
    assert.equal(principal.name, at("grace"));

    await row(page, at("grace")).getByRole("button").click();
    await press(page, "Admin");
    await page.getByText("The user is an admin").waitFor();
    assert.equal((await grace.ok("GET", "/whoami")).role, "admin");
    await press(page, "Member");
    await page.getByText("The user is a member").waitFor();
    await press(page, "Disable…");
    await press(page, "Disable");
    await page.getByText("The user is disabled").waitFor();
    assert.equal((await grace.get("/agents")).status, 401);
    await press(page, "Enable");
    await page.getByText("The user is enabled").waitFor();
    assert.equal((await grace.get("/agents")).status, 200);

    await press(page, "Erase…");
    await page.getByText("This cannot be undone.").waitFor();
    await press(page, "Erase");
    await dialog.getByText("Complete", { exact: true }).first().waitFor();
    const saved = page.waitForEvent("download");
    await press(page, "Download");
    const receipt = JSON.parse(await readFile(await (await saved).path(), "utf8"));
    assert.deepEqual([receipt.subject_id, receipt.completed_at === null], [principal.id, false]);
    await page.keyboard.press("Escape");
    await row(page, principal.id).getByText("Complete").waitFor();
    await tab(page, "Users");
    await row(page, at("admin")).waitFor();
    assert.equal(await row(page, at("grace")).count(), 0);
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-administration", "console-faults"],
  "administration: the only admin is told in one sentence, and stays; a member is told whom to ask",
  async () => {
    const { at, admin, member } = await organization("last");
    const { page, faults } = await console.signedIn("/administration", { token: admin.token });
    const sentence = `'${at("admin")}' is the only admin of the organization. Make another user an admin first.`;
    await row(page, at("admin")).getByRole("button").click();
    for (const [first, second] of [
      ["Member", "Become a member"],
      ["Disable…", "Disable"],
      ["Erase…", "Erase"],
    ] as const) {
      await press(page, first);
      await press(page, second);
      await page.getByRole("alert").getByText(sentence).waitFor();
      await press(page, "Cancel");
      await page.getByRole("alert").waitFor({ state: "detached" });
    }
    assert.equal((await admin.ok("GET", "/whoami")).role, "admin");
    const other = await console.signedIn("/", { token: member.token });
    await other.page.getByRole("link", { name: "Health" }).waitFor();
    assert.equal(await other.page.getByRole("link", { name: "Administration" }).count(), 0);
    await other.page.getByRole("button", { name: new RegExp(at("member")) }).click();
    await other.page.getByRole("menuitem", { name: "Ask an admin" }).click();
    await other.page.getByRole("link", { name: at("admin") }).waitFor();
    assert.deepEqual([...faults, ...other.faults], []);
  },
);

covers(
  ["console-administration", "console-faults"],
  "administration: service accounts and their tokens, and tokens of all, revoked from the list",
  async () => {
    const { at, admin } = await organization("programs");
    const { page, faults } = await console.signedIn("/administration?tab=accounts", { token: admin.token });
    const dialog = page.getByRole("dialog");
    await page.getByText("No service accounts yet").waitFor();
    await page.keyboard.press("n");
    await dialog.getByLabel("Name", { exact: true }).fill("nightly");
    await page.keyboard.press("Enter");
    await press(page, "New token");
    await dialog.getByLabel("Name", { exact: true }).last().fill("ci");
    await press(page, "Create token");
    const token = await dialog.getByTestId("new-token").textContent();
    await press(page, "I have copied it");
    const nightly = new Api(berth.url, token);
    assert.equal((await nightly.get("/sessions")).status, 200);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await tab(page, "Tokens");
    await row(page, at("admin")).first().waitFor();
    await press(page, "Revoke ci of nightly");
    await page.getByText("This cannot be undone.").waitFor();
    await press(page, "Revoke");
    await page.getByText("The token is revoked").waitFor();
    assert.equal((await nightly.get("/sessions")).status, 401);
    assert.equal(await row(page, "nightly").count(), 0);
    await press(page, "Revoked and expired");
    await row(page, "nightly").getByText("Revoked").waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-administration", "console-faults"],
  "administration: name and retention of the organization, with a question before anything is deleted, and its limits",
  async () => {
    const { admin, id } = await organization("kept");
    const { page, faults } = await console.signedIn("/administration?tab=organization", {
      token: admin.token,
    });
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("");
    await press(page, "Save");
    await page.getByText(/^Field 'name' must/).waitFor();
    await name.fill("Kept");
    await press(page, "Visible to the organization");
    await press(page, "Save");
    await page.getByText("The organization is saved").waitFor();
    await page.locator("header").getByText("Kept").waitFor();
    const [stored] = (await admin.ok("GET", `${ADMIN}/organizations`)).data;
    assert.deepEqual([stored.name, stored.default_visibility], ["Kept", "organization"]);

    const days = async () =>
      (await admin.ok("GET", `${ADMIN}/retention/${id}`)).data.map((one: { days: number }) => one.days);
    await page.getByLabel("Files", { exact: true }).fill("30");
    await page.keyboard.press("Enter");
    await page.getByText("files that are 30 days old and that no active session uses").waitFor();
    await press(page, "Cancel");
    assert.deepEqual(await days(), [null, null, null]);
    await page.getByLabel("Files", { exact: true }).press("Enter");
    await press(page, "Delete old data");
    await page.getByText("The retention is saved").waitFor();
    assert.deepEqual(await days(), [null, null, 30]);
    await page.getByText("Open sessions (not archived or terminated)").waitFor();
    await press(page, "Sign commits");
    await page.getByText(/^ssh-ed25519 /).waitFor();
    await press(page, "Stop signing…");
    await press(page, "Delete the key");
    await page.getByRole("button", { name: "Sign commits", exact: true }).waitFor();
    await page.getByRole("link", { name: "Manage connections" }).click();
    await page.getByRole("heading", { name: "Connections" }).waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-administration"],
  "administration: what a user and the organization may spend and have spent, and the command by which the operator changes it",
  async () => {
    const { at, admin, id } = await organization("spenders");
    const [{ id: user }] = (await admin.ok("GET", `${ADMIN}/users?email=${at("member")}`)).data;
    const operator = await berth.operator();
    await operator.ok("POST", `${ADMIN}/limits/${user}`, { spend_cents_per_day: 2_000 });
    await operator.ok("POST", `${ADMIN}/limits/${id}`, { spend_cents: 100_000 });
    const { page, faults } = await console.signedIn("/administration", { token: admin.token });
    await row(page, at("member")).getByRole("button").press("Enter");
    const limit = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    await limit("Spending today").getByText("$0.00 of $20.00").waitFor();
    await limit("Spending in all").getByText("$0.00 used").waitFor();
    await page.getByText(`berth admin limits set --user ${at("member")} spend_cents=`).waitFor();
    await page.keyboard.press("Escape");
    await tab(page, "Organization");
    await limit("Spending in all").getByText("$0.00 of $1,000.00").waitFor();
    await page.getByText("berth admin limits set --org spenders spend_cents=").waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-administration", "console-faults"],
  "administration: the audit log, filtered and exported as CSV and JSON lines",
  async () => {
    const { at, admin, member } = await organization("audited");
    await member.ok("POST", "/agents", { name: "a", model: "rehearsal/steps" });
    const { page, faults } = await console.signedIn("/administration?tab=audit", { token: admin.token });
    await row(page, "Create an agent").getByText(at("member")).waitFor();
    await page.getByLabel("Filter by text").fill("agents");
    await row(page, "Create a user, without a token").first().waitFor({ state: "detached" });
    const exported = async (format: string) => {
      await press(page, "Export");
      const saved = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: format, exact: true }).click();
      const download = await saved;
      return [download.suggestedFilename(), await readFile(await download.path(), "utf8")] as const;
    };
    const [csvName, csv] = await exported("CSV");
    const [linesName, lines] = await exported("JSON lines");
    assert.deepEqual([csvName, linesName], ["audit-log.csv", "audit-log.jsonl"]);
    assert.equal(csv.trimEnd().split("\r\n").length, 2);
    assert.equal(JSON.parse(lines).actor, at("member"));
    await press(page, "Create an agent");
    await page.getByRole("dialog").getByText(at("member")).first().waitFor();
    await page.getByRole("dialog").getByText("agents.create", { exact: true }).waitFor();
    await page.getByRole("dialog").getByRole("link", { name: "Open" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByLabel("First day, in UTC").fill("2100-01-01");
    await page.getByText("No matches").waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-administration", "console-accessible", "console-narrow"],
  "administration: no fault that axe finds in either theme, and nothing to scroll sideways, at 1440 and 390 px",
  async () => {
    const { admin, at, id } = await organization("looks");
    const account = await admin.ok("POST", `${ADMIN}/service_accounts`, {
      name: "nightly",
      organization_id: id,
    });
    const gone = await admin.ok("POST", `${ADMIN}/users`, { email: at("gone"), organization_id: id });
    const { id: erasure } = await admin.ok("POST", `${ADMIN}/erasures`, { user_id: gone.id });
    const [{ id: user }] = (await admin.ok("GET", `${ADMIN}/users?email=${at("member")}`)).data;
    const [entry] = (await admin.ok("GET", `${ADMIN}/audit_entries?limit=1`)).data;
    const { page, faults } = await console.signedIn("/", { token: admin.token });
    const found: string[] = [];
    for (const query of [
      ...["", `?open=${user}`, "?create=true", "?tab=accounts", `?tab=accounts&open=${account.id}`],
      ...["?tab=accounts&create=true", "?tab=tokens", "?tab=organization", "?tab=audit"],
      ...[`?tab=audit&open=${entry.id}`, "?tab=erasures", `?tab=erasures&open=${erasure}`],
    ]) {
      await page.goto(`${origin}/console/administration${query}`);
      await page.locator("[role=tab]").first().waitFor();
      if (/open|create/.test(query)) await page.getByRole("dialog").waitFor();
      await page.locator("main .animate-spin").first().waitFor({ state: "detached" });
      for (const size of [
        { width: 1_440, height: 900 },
        { width: 390, height: 844 },
      ]) {
        await page.setViewportSize(size);
        for (const fault of await accessibilityFaults(page)) found.push(`${query} ${size.width}: ${fault}`);
        await drawn(page);
        const beyond = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        if (beyond > 0) found.push(`${query}: ${beyond} px beyond ${size.width}`);
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual(faults, []);
  },
);

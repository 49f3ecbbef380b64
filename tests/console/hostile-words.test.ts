// A transcript whose every text is hostile, in a browser: nothing of it runs, leads elsewhere, or hides what it is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { newPerson, startChromium } from "./harness/chromium.ts";

const SCRIPT =
  "<script>alert(1)</script><img src=x onerror=alert(2)><iframe src='https://evil.example'></iframe>";
const LINKS = [
  "[one](javascript:alert(3))",
  "[two](data:text/html,<script>alert(4)</script>)",
  "[three](file:///etc/passwd)",
  "[four](JaVaScRiPt:alert(5))",
  "<a href='javascript:alert(6)'>five</a>",
  "![six](https://evil.example/track.png)",
  "[seven](https://example.com/fine)",
].join("\n\n");
const DIRECTION = "invoice\u202Egnp.exe";

let berth: Berth;
let browser: Browser;
let session: AnyJson;
let link: () => Promise<string>;
before(async () => {
  [berth, browser] = await Promise.all([Berth.start(), startChromium()]);
  const api = await berth.client();
  link = async () => (await api.ok("POST", "/console_links")).url;
  session = await makeSession(api, { title: `${SCRIPT} ${DIRECTION}` });
  await runTurn(
    api,
    session.id,
    { say: `${SCRIPT}\n\n${LINKS}\n\n${DIRECTION}` },
    {
      tool: "Bash",
      input: {
        command: `printf '\\033]0;title\\007\\033[2J\\033[31mred\\033[0m\\n'; echo "${SCRIPT.replaceAll('"', "")}"; head -c 90000 /dev/zero | tr '\\0' x`,
      },
    },
    { tool: "Write", input: { file_path: `/tmp/${DIRECTION}.html`, content: SCRIPT } },
    { say: "The end." },
  );
});
after(async () => {
  await browser.close();
  await berth.stop();
});

/** Opens the session, signed in. */
async function open(page: Page): Promise<void> {
  await page.goto(await link());
  await page.getByRole("heading", { name: "Sessions" }).waitFor();
  await page.goto(`${berth.url}/console/sessions/${session.id}?panel=events`);
  await page.getByText("The end.", { exact: true }).first().waitFor();
}

test("nothing of it runs, no other origin is asked, and links lead to http, https and mailto only", async () => {
  const { page, context, faults } = await newPerson(browser, berth.url);
  await open(page);
  await page.keyboard.press("k");
  await page.getByText("seven", { exact: true }).waitFor();
  const transcript = page.getByRole("region", { name: "Transcript" });
  const addresses = await transcript
    .locator("a[target]")
    .evaluateAll((links) => links.map((one) => one.getAttribute("href")));
  assert.deepEqual(addresses.toSorted(), ["https://evil.example/track.png", "https://example.com/fine"]);
  assert.equal(await transcript.locator("img, iframe, script, object, embed").count(), 0);
  assert.ok(
    ((await transcript.textContent()) ?? "").includes("invoice⟨U+202E⟩gnp.exe"),
    "what changes the direction is seen",
  );
  assert.deepEqual(faults, []);
  await context.close();
});

test("an output that is cut is opened whole", async () => {
  const { page, context, faults } = await newPerson(browser, berth.url);
  await open(page);
  await page.getByRole("button", { name: /^Open all/ }).click();
  await page
    .getByRole("dialog")
    .getByText(/^x{500}/)
    .first()
    .waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

for (const colorScheme of ["light", "dark"] as const)
  test(`the list, the form and the session have no faults that axe finds, ${colorScheme}`, async () => {
    const { page, context, faults } = await newPerson(browser, berth.url);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await open(page);
    const violations: string[] = [];
    const check = async (name: string) => {
      const result = await new AxeBuilder({ page }).analyze();
      for (const { id, nodes } of result.violations) violations.push(`${name}: ${id}: ${nodes[0]?.html}`);
    };
    await check("session");
    await page.goto(`${berth.url}/console/`);
    await page.getByRole("row").nth(1).waitFor();
    await check("sessions");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await check("palette");
    await page.goto(`${berth.url}/console/new`);
    await page.getByLabel("Task").waitFor();
    await check("new session");
    await context.clearCookies();
    await page.goto(`${berth.url}/console/`);
    await page.getByRole("heading", { name: "Sign in to Berth" }).waitFor();
    await check("sign in");
    assert.deepEqual(violations, []);
    assert.deepEqual(faults, []);
    await context.close();
  });

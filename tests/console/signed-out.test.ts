// A sign-in that ends while somebody types.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { Berth } from "../acceptance/harness/berth.ts";
import { makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { newPerson, startChromium } from "./harness/chromium.ts";

let berth: Berth;
let browser: Browser;
before(async () => {
  [berth, browser] = await Promise.all([Berth.start(), startChromium()]);
});
after(async () => {
  await browser.close();
  await berth.stop();
});

test("the sign-in covers what is typed, and gives it back; a wrong token is told with its request id; the log goes on", async () => {
  const token = await berth.token();
  const api = await berth.client();
  const session = await makeSession(api, { title: "Long work" });
  const { page, context, faults } = await newPerson(browser, berth.url);
  await page.goto((await api.ok("POST", "/console_links")).url);
  await page.getByRole("link", { name: "Long work" }).click();
  const message = page.getByLabel("Message to the agent");
  await message.fill("half a thought");

  await context.clearCookies();
  await message.press("End");
  await message.press("Enter");
  await page.getByRole("heading", { name: "Sign in to Berth" }).waitFor();
  await page.getByLabel("Token").fill("berth_pat_wrong");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "request_id" }).waitFor();
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in to Berth" }).waitFor({ state: "detached" });
  assert.equal(await message.inputValue(), "half a thought");

  await runTurn(api, session.id, { say: "said by another person's turn" });
  await page.getByText("said by another person's turn", { exact: true }).waitFor();
  await page.reload();
  assert.equal(await message.inputValue(), "half a thought", "and outlives a reload");
  assert.deepEqual(faults, []);
  await context.close();
});

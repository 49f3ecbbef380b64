import assert from "node:assert/strict";
import { before } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import {
  bash,
  makeAgent,
  makeEnvironment,
  makeFile,
  makeSession,
  runTurn,
} from "../acceptance/harness/fixtures.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { Console, signIn } from "./harness/console.ts";

const console = await Console.start();
const { api, origin } = console;

let agent: AnyJson;
let environment: AnyJson;
before(async () => {
  agent = await makeAgent(api, { name: "Reviewer" });
  environment = await makeEnvironment(api, { name: "Closed" });
});

/** A form with a value that the service rejects, and a correct one. */
interface Form {
  path: string;
  /** Opens the form if it is not on the page itself. */
  open?: string;
  field: string;
  wrong: string;
  right: string;
  /** Another field, whose value must survive everything. */
  kept: { field: string; value: string };
  verb: string;
  /** Shown once the form is saved. */
  saved: RegExp;
}

const FORMS: readonly Form[] = [
  {
    path: "/agents/new",
    field: "Name",
    wrong: "",
    right: "Careful",
    kept: { field: "System prompt", value: "You read twice, and write once." },
    verb: "Create agent",
    saved: /Careful/,
  },
  {
    path: "/environments/new",
    field: "Hosts",
    wrong: "https://not a host",
    right: "api.example.com",
    kept: { field: "Name", value: "Nearly closed" },
    verb: "Create environment",
    saved: /Nearly closed/,
  },
  {
    path: "/memory",
    open: "New store",
    field: "Name",
    wrong: "",
    right: "Decisions",
    kept: { field: "Description", value: "What was decided, and why." },
    verb: "Create",
    saved: /Decisions/,
  },
];

for (const form of FORMS)
  covers(
    ["console-screens", "console-faults", "console-drafts"],
    `${form.path}: a fault is told at its field; an error, a reload and an ended sign-in lose nothing; then it is saved`,
    async () => {
      const visited = await console.signedIn(form.path);
      const { page, context } = visited;
      const open = async () => {
        if (form.open !== undefined) await page.getByRole("button", { name: form.open }).first().click();
      };
      const field = page.getByLabel(form.field, { exact: true }).first();
      const kept = page.getByLabel(form.kept.field, { exact: true }).first();
      const save = page.getByRole("button", { name: form.verb, exact: true });
      await open();
      await kept.fill(form.kept.value);
      await field.fill(form.wrong);
      await save.click();
      await page.locator("[aria-invalid=true]").waitFor();
      assert.equal(await field.getAttribute("aria-invalid"), "true");
      const told = page.locator(`[id="${await field.getAttribute("aria-describedby")}"]`);
      assert.match((await told.textContent()) ?? "", /\S/);
      await page.getByText("request_id").first().waitFor();

      await page.reload();
      await open();
      await kept.waitFor();
      assert.deepEqual([await kept.inputValue(), await field.inputValue()], [form.kept.value, form.wrong]);

      await context.clearCookies();
      await pressIfThere(save);
      await signIn(visited, api.token ?? "");
      assert.equal(await kept.inputValue(), form.kept.value);
      await field.fill(form.right);
      await save.click();
      await page.getByRole("heading", { name: form.saved, level: 1 }).waitFor();
      await page.goto(`${origin}/console${form.path}`);
      await open();
      await kept.waitFor();
      assert.equal(await kept.inputValue(), "", "what was saved is no draft any more");
      assert.deepEqual(visited.faults, []);
    },
  );

/**
 * Presses a button if it exists. A read may already have shown the page that the sign-in has ended, and then
 * the form is gone.
 */
function pressIfThere(button: Locator): Promise<void> {
  return button.evaluateAll((buttons) => {
    for (const each of buttons) (each as unknown as { click(): void }).click();
  });
}

covers(
  ["console-screens", "console-faults", "console-drafts"],
  "new session: a repository that cannot be, told at its address; like another session, without its secrets",
  async () => {
    const visited = await console.signedIn("/new");
    const { page, context } = visited;
    await page.getByLabel("Task").fill("Write a poem");
    await page.getByRole("button", { name: "Add repository" }).click();
    const address = page.getByLabel("URL");
    await address.fill("ftp://example.com/a");
    await page.getByLabel("Password").fill("a secret of mine");
    await page.getByRole("button", { name: "Start session" }).click();
    await page.locator("input[aria-invalid=true]").waitFor();
    assert.equal(await address.getAttribute("aria-invalid"), "true");
    await page.reload();
    assert.equal(await page.getByLabel("Task").inputValue(), "Write a poem");
    assert.equal(await address.inputValue(), "ftp://example.com/a");
    const stored = await page.evaluate<string>(
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])",
    );
    assert.doesNotMatch(stored, /a secret of mine/);
    await page.getByLabel("Password").fill("a secret of mine");
    await context.clearCookies();
    await pressIfThere(page.getByRole("button", { name: "Start session" }));
    await signIn(visited, api.token ?? "");
    assert.equal(await page.getByLabel("Password").inputValue(), "a secret of mine", "what is typed stays");

    const session = await makeSession(api, { title: "Poems", environment_variables: { METRE: "iambic" } });
    await page.goto(`${origin}/console/sessions/${session.id}`);
    await page.getByRole("button", { name: "New session like this one" }).click();
    await page.waitForURL(/\/new\?like=/);
    await page.locator("textarea", { hasText: "METRE=iambic" }).waitFor();
    assert.equal(await page.getByLabel("Title").inputValue(), "Poems");
    assert.deepEqual(visited.faults, []);
  },
);

/** Holds back the requests of a page that match, until the returned function is called. */
async function hold(page: Page, url: RegExp): Promise<() => void> {
  const late = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await late.promise;
    await route.continue();
  });
  return late.resolve;
}

covers(
  ["console-screens", "console-drafts"],
  "a form filled in and sent before its data is loaded: it has a model, and nothing typed is lost",
  async () => {
    const { page, faults } = await console.signedIn("/agents");
    const [model] = (await api.ok("GET", "/models")).data as AnyJson[];
    for (const sends of ["while it loads", "afterwards"]) {
      const release = await hold(page, /\/models$/);
      await page.goto(`${origin}/console/agents/new`);
      await page.getByLabel("Name", { exact: true }).first().fill(`Typed early, sent ${sends}`);
      if (sends === "afterwards") {
        release();
        await page
          .getByText(model?.id as string)
          .first()
          .waitFor();
      }
      await page.getByRole("button", { name: "Create agent" }).click();
      if (sends === "while it loads") await page.locator("[aria-busy=true]").waitFor();
      release();
      await page.getByRole("heading", { name: `Typed early, sent ${sends}`, level: 1 }).waitFor();
      await page.unroute(/\/models$/);
    }
    const session = await makeSession(api, { title: "Slow to read" });
    const release = await hold(page, new RegExp(`/sessions/${session.id}$`));
    await page.goto(`${origin}/console/new?like=${session.id}`);
    await page.getByRole("heading", { name: "New session" }).waitFor();
    assert.equal(await page.getByLabel("Task").count(), 0, "a field that would be filled over");
    release();
    await page.getByLabel("Task").fill("Mine");
    assert.equal(await page.getByLabel("Title").inputValue(), "Slow to read");
    assert.deepEqual(faults, []);
  },
);

/** A script that presses two keys at the same time, as for a page that was busy meanwhile. */
const TOGETHER = `for (const key of ["j", "Enter"])
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));`;

covers(
  ["console-screens"],
  "the list of sessions keeps its filters in the address, grows by itself, and is driven by keys",
  async () => {
    const visited = await console.signedIn("/?q=needle");
    const { page } = visited;
    await page.getByText("No sessions match").waitFor();
    const made = await api.ok("POST", "/sessions", {
      agent: agent.id,
      environment_id: environment.id,
      title: "A needle in the hay",
    });
    await page.getByRole("row").filter({ hasText: "A needle in the hay" }).waitFor();
    await page.evaluate(TOGETHER);
    await page.waitForURL(new RegExp(`/sessions/${made.id}`));
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Write a message").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("Agents");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
    assert.deepEqual(visited.faults, []);
  },
);

covers(
  ["console-screens"],
  "keys that are typed while the palette opens are its text, and none beneath a dialog does anything",
  async () => {
    const { page, faults } = await console.signedIn("/");
    const release = await hold(page, /assets\/palette-[^/]*\.js$/);
    await page.goto(`${origin}/console/agents`);
    await page.getByRole("heading", { name: "Agents", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("g environmemts");
    for (const _ of "mts") await page.keyboard.press("Backspace");
    await page.keyboard.type("nts");
    release();
    const search = page.getByRole("combobox", { name: "Search objects and actions" });
    await search.and(page.locator(":focus")).waitFor();
    assert.equal(await search.inputValue(), "g environments");
    assert.match(page.url(), /\/agents$/);
    await page.keyboard.press("Escape");
    await search.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("environments");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Environments", level: 1 }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.match(page.url(), /\/environments$/);
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-screens"],
  "a session: outputs, denied hosts that become allowed, the raw events, and an end that asks first",
  async () => {
    const session = await api.ok("POST", "/sessions", {
      agent: agent.id,
      environment_id: environment.id,
      title: "Of all panels",
    });
    await runTurn(
      api,
      session.id,
      bash(
        "echo '# Report' > /mnt/session/outputs/report.md; curl -sS --max-time 9 https://blocked.example/ || true",
      ),
    );
    const visited = await console.signedIn(`/sessions/${session.id}?panel=files`);
    const { page } = visited;
    const beside = page.getByRole("complementary", { name: "Session panel" });
    await beside
      .getByRole("button", { name: /report\.md/ })
      .first()
      .click();
    await page.getByRole("dialog").getByRole("heading", { name: "Report", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await beside.getByRole("tab", { name: /Network/ }).click();
    await beside.getByRole("button", { name: "Allow this host" }).click();
    await confirm(page, "Allow");
    await beside.getByText("Allowed now").waitFor();
    const { config } = await api.ok("GET", `/environments/${environment.id}`);
    assert.ok(config.networking.allowed_hosts.some((host: string) => host.startsWith("blocked.example")));
    await beside.getByRole("tab", { name: /Events/ }).click();
    await beside.getByText("session.egress_denied").first().waitFor();
    assert.match(page.url(), /panel=events/);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Terminate…" }).click();
    assert.equal((await api.ok("GET", `/sessions/${session.id}`)).status, "idle", "it asks first");
    await confirm(page, "Terminate");
    await page.getByText("The session is terminated and accepts no more messages.").waitFor();
    assert.deepEqual(visited.faults, []);
  },
);

const PDF = `%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R /OpenAction <</S /JavaScript /JS (app.alert\\('hostile'\\))>>>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R
  /Resources <</Font <</F1 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>>> endobj
4 0 obj <</Length 46>> stream
BT /F1 24 Tf 40 100 Td (Seven of ten) Tj ET
endstream endobj
trailer <</Root 1 0 R>>
`;

/** A script that counts the distinct pixel values of a PDF page; a blank page has one. */
const SHADES = `(() => {
  const canvas = document.querySelector("canvas[aria-label='Page 1']");
  return new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size;
})()`;

covers(
  ["console-screens", "console-hostile", "console-accessible"],
  "files: the pages of a PDF are drawn and can be read aloud, and nothing in it runs; a damaged one says so",
  async () => {
    const report = await makeFile(api, PDF, "report.pdf", undefined, "application/pdf");
    const damaged = await makeFile(api, "%PDF-1.4\nno more", "damaged.pdf", undefined, "application/pdf");
    const { page, faults } = await console.signedIn(`/files/${report.id}`);
    await page.getByText("Seven of ten").waitFor();
    await page.getByRole("img", { name: "Page 1" }).waitFor();
    const shades = await page.evaluate<number>(SHADES);
    assert.ok(shades > 2, `${shades} shades are drawn`);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.goto(`${origin}/console/files/${damaged.id}`);
    await page.getByText("This is not a PDF, or it is damaged.").waitFor();
    assert.deepEqual(faults, []);
  },
);

async function confirm(page: Page, verb: string): Promise<void> {
  const asked = page.getByRole("dialog").or(page.getByRole("alertdialog"));
  await asked.getByRole("button", { name: verb, exact: true }).click();
}

covers(
  ["console-faults"],
  "addresses that lead nowhere, and what one may not see, say so with the request id",
  async () => {
    const stranger = await console.berth.client({ user: "stranger@example.com", org: "elsewhere" });
    const own = await makeSession(api);
    const visited = await console.signedIn("/nowhere", { token: stranger.token });
    const { page } = visited;
    await page.getByText("This page does not exist").waitFor();
    for (const path of [
      `/sessions/${own.id}`,
      "/sessions/sess_00000000000000000000000000",
      `/agents/${agent.id}`,
      `/environments/${environment.id}`,
    ]) {
      await page.goto(`${origin}/console${path}`);
      await page.locator("main").getByText("request_id").first().waitFor();
    }
    assert.deepEqual(visited.faults, []);
  },
);

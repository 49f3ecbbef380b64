// Tests the objects that sessions are made of, in a browser: agents, environments, files, skills, memory.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { covers } from "../acceptance/harness/covers.ts";
import { makeAgent, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { Console } from "./harness/console.ts";

const console = await Console.start();
const { api } = console;
const personAt = (path: string) => console.signedIn(path);

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

covers(
  ["console-screens", "console-faults", "console-drafts"],
  "an agent is made with faults told at their fields, outlives a reload, and is changed although somebody else did too",
  async () => {
    const { page, faults } = await personAt("/agents/new");
    await press(page, "Create agent");
    await page.getByText("Field 'name'").first().waitFor();
    await page.getByLabel("Name", { exact: true }).first().fill("Reviewer");
    await press(page, "Add server");
    await page.getByPlaceholder("tickets", { exact: true }).fill("tickets");
    await page.getByLabel("URL").fill("ftp://tickets.example");
    await press(page, "Create agent");
    const address = page.getByLabel("URL");
    await page.getByText("must be an https URL without credentials").first().waitFor();
    assert.equal(await address.getAttribute("aria-invalid"), "true");
    await page.reload();
    assert.equal(await address.inputValue(), "ftp://tickets.example", "what was typed outlives a reload");
    await address.fill("https://tickets.example/mcp");
    await page.getByRole("combobox", { name: "Calls of Bash" }).click();
    await page.getByRole("option", { name: "Asks first" }).click();
    await press(page, "Create agent");
    await page.getByText("MCP server tickets").waitFor();
    const id = /agent_\w+/.exec(page.url())?.[0];
    const made = await api.ok("GET", `/agents/${id}`);
    assert.deepEqual(made.tools[0].configs, [
      { name: "Bash", enabled: true, permission_policy: { type: "always_ask" } },
    ]);

    await page.keyboard.press("e");
    await page.getByLabel("Description").fill("mine");
    await api.ok("POST", `/agents/${id}`, { version: 1, system: "Theirs.\n" });
    await press(page, "Save");
    await page.getByText("Version 2 was saved while you were editing version 1.").waitFor();
    await press(page, "Apply my changes to version 2");
    await press(page, "Save");
    await page.getByText("mine", { exact: true }).waitFor();
    const changed = await api.ok("GET", `/agents/${id}`);
    assert.deepEqual([changed.version, changed.description, changed.system], [3, "mine", "Theirs.\n"]);

    await page.getByRole("tab", { name: "Versions" }).click();
    await page.getByRole("combobox", { name: "Compare from" }).click();
    await page.getByRole("option", { name: "Version 1" }).click();
    await page.getByRole("heading", { name: "System prompt" }).waitFor();
    await page.getByText("Theirs.").waitFor();
    assert.match(page.url(), /from=1&to=3/);

    await page.keyboard.press("ControlOrMeta+k");
    await page.keyboard.type("archive this agent");
    await page.keyboard.press("Enter");
    await press(page, "Archive");
    await page.getByText("Archived", { exact: true }).waitFor();
    assert.notEqual((await api.ok("GET", `/agents/${id}`)).archived_at, null);
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-screens", "console-faults"],
  "an environment tells each fault at its field, and shows why its setup failed",
  async () => {
    const { page, faults } = await personAt("/environments/new");
    const refused = async (field: string, value: string, message: RegExp) => {
      await page.getByLabel(field, { exact: true }).fill(value);
      await press(page, "Create environment");
      await page.getByText(message).first().waitFor();
      assert.equal(await page.getByLabel(field, { exact: true }).getAttribute("aria-invalid"), "true");
    };
    await page.getByLabel("Name", { exact: true }).first().fill("Builds");
    await refused("Hosts", "10.0.0.1", /must be a host name, not an address/);
    await page.getByLabel("Hosts").fill("api.example.com");
    await refused("apt packages", "--evil", /must be the name of a package/);
    await page.getByLabel("apt packages").fill("");
    await press(page, "Add a variable");
    await refused("Name of the variable", "BERTH_X", /Variable 'BERTH_X' is reserved/);
    await page.getByLabel("Name of the variable").fill("LEVEL");
    await refused("Runtime class", "gvisor", /are not pods of a Kubernetes cluster/);
    await page.getByLabel("Runtime class").fill("");
    await press(page, "Deleted with the sandbox");
    await page.getByLabel("Setup script", { exact: true }).fill("exit 3");
    await press(page, "Create environment");
    await page.waitForURL(/env_/);
    const environment = /env_\w+/.exec(page.url())?.[0] ?? "";

    await page.getByRole("tab", { name: "Setup" }).click();
    await page.getByText("No session has used this environment yet").waitFor();
    const agent = await makeAgent(api);
    const session = await makeSession(api, {
      agent: agent.id,
      environment_id: environment,
      title: "Tries it",
    });
    await runTurn(api, session.id, { tool: "Bash", input: { command: "true" } });
    await page.getByRole("link", { name: "Tries it" }).waitFor();
    // On the host's root filesystem there is no place for a setup script.
    await page.getByText("setup script, because this installation cannot install them").waitFor();
    await page.getByText("Failed", { exact: true }).waitFor();

    await page.keyboard.press("e");
    await page.getByLabel("Description").fill("mine");
    await api.ok("POST", `/environments/${environment}`, { credentials: "proxy" });
    await press(page, "Save");
    await page.getByText("mine", { exact: true }).waitFor();
    const changed = await api.ok("GET", `/environments/${environment}`);
    assert.deepEqual([changed.description, changed.credentials], ["mine", "proxy"], "both changes stay");
    assert.equal(changed.workspace, "ephemeral");
    assert.deepEqual(faults, []);
  },
);

covers(["console-screens"], "a dropped file is uploaded, seen, and deleted after a question", async () => {
  const { page, faults } = await personAt("/files");
  await page.getByText("No files yet").waitFor();
  const files = await page.evaluateHandle(`
    const data = new DataTransfer();
    data.items.add(new File(["name,count\\nalpha,1\\n"], "report.csv", { type: "text/csv" }));
    data;
  `);
  const area = page.getByText("No files yet");
  await area.dispatchEvent("dragover", { dataTransfer: files });
  await page.getByText("Drop to upload").waitFor();
  await area.dispatchEvent("drop", { dataTransfer: files });
  await page.getByRole("link", { name: "report.csv" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("cell", { name: "alpha" }).waitFor();
  const download = page.waitForEvent("download");
  await page.keyboard.press("d");
  assert.equal((await download).suggestedFilename(), "report.csv");
  await press(page, "Delete this file");
  await press(page, "Delete");
  await page.getByText("No files yet").waitFor();
  assert.deepEqual((await api.ok("GET", "/files")).data, []);
  assert.deepEqual(faults, []);
});

covers(["console-faults"], "an upload that fails is tried again where it stands", async () => {
  const { page, context, faults } = await personAt("/files");
  await page.getByText("No files yet").waitFor();
  await context.setOffline(true);
  const file = { name: "later.txt", mimeType: "text/plain", buffer: Buffer.from("later") };
  await page.getByLabel("Files to upload").setInputFiles(file);
  const again = page.getByRole("button", { name: "Retry later.txt" });
  await again.waitFor();
  await context.setOffline(false);
  await again.click();
  await page.getByRole("link", { name: "later.txt" }).waitFor();
  const { data } = await api.ok("GET", "/files");
  assert.deepEqual([data.length, data[0].size_bytes], [1, 5]);
  await api.ok("DELETE", `/files/${data[0].id}`);
  assert.deepEqual(faults, []);
});

covers(
  ["console-screens"],
  "a skill's directory is uploaded, and what a version changed is seen file by file",
  async () => {
    const home = await mkdtemp(join(tmpdir(), "skill-"));
    const directory = join(home, "triage");
    await mkdir(join(directory, "reference"), { recursive: true });
    const write = (path: string, text: string) => writeFile(join(directory, path), text);
    await write("SKILL.md", "---\nname: triage\n---\n");
    await write("reference/people.md", "# People\n");
    const { page, faults } = await personAt("/skills");
    const upload = async () => {
      await page.getByLabel("Directory of the skill").setInputFiles(directory);
      await page.getByRole("dialog").getByRole("button", { name: "Upload", exact: true }).click();
    };
    await press(page, "Upload");
    await upload();
    await page.getByRole("alert").filter({ hasText: "description" }).waitFor();
    await write("SKILL.md", "---\nname: triage\ndescription: Sorts issues.\n---\n# Triage\n");
    await press(page, "Choose something else");
    await upload();
    await page.getByRole("heading", { name: "Triage", exact: true }).waitFor();
    await write("reference/people.md", "# People\n\nAnn: the parser\n");
    await press(page, "New version");
    await upload();
    await page.getByText("Version 2 is uploaded").waitFor();
    await press(page, "people.md");
    await press(page, "Since version 1");
    await page.getByText("added: Ann: the parser").waitFor();
    assert.match(page.url(), /version=2.*path=reference/);
    await page.getByRole("tab", { name: "Versions" }).click();
    await press(page, "Delete version 1");
    await press(page, "Delete");
    await page.getByText("Version 1 is deleted").waitFor();
    assert.deepEqual(faults, []);
    await rm(home, { recursive: true });
  },
);

covers(
  ["console-screens"],
  "a memory is written, kept from an agent's change, and redacted; the newest version is not",
  async () => {
    const { page, faults } = await personAt("/memory");
    await page.getByRole("button", { name: "New store" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("Knowledge");
    await press(page, "Create");
    await page.getByText("No memories yet").waitFor();
    const store = /memstore_\w+/.exec(page.url())?.[0];
    await page.getByRole("button", { name: "New memory" }).first().click();
    await page.getByLabel("Path").fill("notes/../a.md");
    await press(page, "Create memory");
    await page.getByText("must be an absolute path").first().waitFor();
    await page.getByLabel("Path").fill("/notes/a.md");
    await page.getByLabel("Text").fill("# Secret\n");
    await press(page, "Create memory");
    await page.getByRole("heading", { name: "Secret" }).waitFor();
    const [memory] = (await api.ok("GET", `/memory_stores/${store}/memories`)).data;

    await press(page, "Edit");
    await page.getByLabel("Text").fill("mine\n");
    await api.ok("POST", `/memory_stores/${store}/memories/${memory.id}`, { content: "theirs\n" });
    await press(page, "Save");
    await page.getByText("This memory was changed while you were editing it.").waitFor();
    await page.getByText("removed: theirs").waitFor();
    await press(page, "Keep my text");
    await press(page, "Save");
    await page.getByText("mine", { exact: true }).waitFor();

    await page.getByRole("link", { name: "Versions" }).click();
    const versions = page.getByRole("list", { name: "Versions" }).getByRole("button");
    await versions.filter({ hasText: "Created" }).click();
    await page.getByText("added: # Secret").waitFor();
    await press(page, "Redact…");
    await press(page, "Redact");
    await page.getByText("Its text was deleted for good.").waitFor();
    await versions.first().click();
    await page.getByText("added: mine").waitFor();
    await press(page, "Redact…");
    await press(page, "Redact");
    await page.getByRole("alert").filter({ hasText: "request_id" }).waitFor();
    assert.deepEqual(faults, []);
  },
);

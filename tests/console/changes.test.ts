// Tests what people do with the changes of a session, in a browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import type { AnyJson, Api } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeSession, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { startGitHost } from "../git-host/git-host.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { Console } from "./harness/console.ts";
import { drawn } from "./harness/drawn.ts";

const git = await startGitHost();
after(() => git.stop());
const console = await Console.start({ settings: providerSettings(git) });
const { api } = console;

const FILES = {
  "src/greet.js": 'export function greet(name) {\n  return "Hello " + name;\n}\n',
  "gone.txt": "gone\n",
};
before(() => git.createRepository({ org: "acme", name: "greeter", private: true, files: FILES }));

/** Makes a session with a clone of the repository in which commands ran. */
async function worked(command: string, fields: Record<string, string> = {}): Promise<AnyJson> {
  const authorization_token = git.createToken({ user: "robot", permissions: "write" });
  const repository = { type: "hosted_repository", url: `${git.url}/acme/greeter`, authorization_token };
  const session = await makeSession(api, { title: "Work on a diff", resources: [repository], ...fields });
  const events = await runTurn(api, session.id, bash(`cd /data/greeter && ${command}`));
  return { ...session, printed: toolResults(events)[0]?.split("\n")[0] };
}

/** Returns the texts of the messages that were sent to a session, without those of the test itself. */
async function messagesOf(session: AnyJson): Promise<string[]> {
  const { data } = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
  return data
    .filter(({ type }: AnyJson) => type === "user.message")
    .map(({ content }: AnyJson) => content[0].text)
    .filter((text: string) => !text.startsWith('{"steps"'));
}

const EDIT = "sed -i 's/Hello /Good day, /' src/greet.js && rm gone.txt";

const openFile = (page: Page, path: string) =>
  page.getByRole("list", { name: "Files" }).getByRole("button", { name: path, expanded: false }).click();
const unsent = (page: Page) => page.getByRole("list", { name: "Comments that are not sent" });
const beyondWindow = async (page: Page) => {
  await drawn(page);
  return await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
};

covers(
  ["console-comments"],
  "comments on lines by mouse and by keyboard survive a reload, are edited and removed, and reach the agent as one message",
  async () => {
    const session = await worked(EDIT);
    const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=changes`);
    await openFile(page, "src/greet.js");
    await page.getByRole("button", { name: "Comment on line 2" }).click();
    const field = page.getByRole("textbox", { name: "Comment on greet.js, line 2" });
    await field.fill("Say it in French.");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Comment on line 2, which has one" }).waitFor();
    await page.getByRole("button", { name: "Send 1 comment" }).waitFor();

    await openFile(page, "gone.txt");
    const gone = page.getByRole("group", { name: "Diff of gone.txt" });
    await gone.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const why = page.getByRole("textbox", { name: "Comment on gone.txt, line 1 before your changes" });
    await why.waitFor();
    await page.keyboard.type("Why is it gone?");
    await page.reload();
    assert.equal(await why.inputValue(), "Why is it gone?", "what is typed survives a reload");
    await openFile(page, "gone.txt");
    await gone.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await why.press("ControlOrMeta+Enter");
    await why.waitFor({ state: "detached" });
    const focused = await page.evaluate<string>("document.activeElement.textContent");
    assert.match(focused, /Comment on removed line 1, which has one/, "the focus is back at the line");

    await openFile(page, "src/greet.js");
    await page.getByRole("button", { name: "Comment on line 1", exact: true }).click();
    await page.getByRole("textbox", { name: "Comment on greet.js, line 1" }).fill("To be removed");
    await page.getByRole("button", { name: "Send 3 comments" }).waitFor();
    await page.getByRole("button", { name: "Remove greet.js, line 1", exact: true }).click();
    await page.getByRole("button", { name: "Edit greet.js, line 2" }).click();
    await field.fill("Nothing");
    await page.getByRole("button", { name: "Cancel" }).click();
    await unsent(page).getByText("Say it in French.").waitFor();
    assert.deepEqual(await messagesOf(session), [], "nothing is sent before");
    await page.getByRole("button", { name: "Send 2 comments" }).click();
    await unsent(page).waitFor({ state: "detached" });
    assert.deepEqual(await messagesOf(session), [
      [
        "Comments on lines of your changes: 2",
        "/data/greeter/gone.txt, line 1 before your changes:\n> gone\nWhy is it gone?",
        '/data/greeter/src/greet.js, line 2:\n>   return "Good day, " + name;\nSay it in French.',
      ].join("\n\n"),
    ]);
    await page.reload();
    await page.getByText("To comment on a line of a diff").waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-comments", "console-accessible", "console-narrow"],
  "comments at 390 pixels, in one column and in two: nothing that axe finds, nothing to scroll sideways",
  async () => {
    const session = await worked(EDIT);
    const at = { width: 390, height: 740 };
    const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=changes`, at);
    await openFile(page, "src/greet.js");
    await page.getByRole("button", { name: "Comment on line 1" }).click();
    await page.keyboard.type(`A long one: ${"word".repeat(40)}`);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Comment on removed line 2" }).click();
    await page.keyboard.type("What was wrong?");
    for (const look of ["one column", "two columns"]) {
      assert.deepEqual(await accessibilityFaults(page), [], look);
      assert.equal(await beyondWindow(page), 0, look);
      const send = await page.getByRole("button", { name: "Send 2 comments" }).boundingBox();
      assert.ok(send !== null && send.y + send.height <= at.height, "what sends is in the window");
      await page.getByRole("button", { name: "Old and new side by side" }).click();
      await page.getByRole("button", { name: "Comment on removed line 2, which has one" }).waitFor();
    }
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-comments"],
  "who only follows a session can neither comment nor have a file restored",
  async () => {
    const session = await worked(EDIT);
    const reader: Api = await console.berth.client({ user: "reader@example.com" });
    await api.ok("POST", `/sessions/${session.id}/share`, { user: "reader@example.com" });
    const { page } = await console.signedIn(`/sessions/${session.id}?panel=changes`, { token: reader.token });
    await openFile(page, "src/greet.js");
    await page.getByText('added: return "Good day, " + name;').waitFor();
    assert.equal(await page.getByRole("button", { name: /^Comment on/ }).count(), 0);
    assert.equal(await page.getByText("To comment on a line").count(), 0);
    await page.getByText("You can read this session.").waitFor();
  },
);

/** Returns the tree of a clone of the repository after `git apply` of a patch. */
function treeAfter(patch: string): string {
  const clone = mkdtempSync(join(tmpdir(), "clone-"));
  after(() => rmSync(clone, { recursive: true }));
  const run = (...args: string[]) =>
    execFileSync("git", ["-C", clone, ...args])
      .toString()
      .trim();
  run("init", "-q");
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(join(clone, dirname(path)), { recursive: true });
    writeFileSync(join(clone, path), content);
  }
  run("add", "-A");
  const file = join(clone, ".git", "patch");
  writeFileSync(file, patch);
  run("apply", "--index", file);
  return run("write-tree");
}

async function downloaded(page: Page): Promise<string> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download a patch for git apply" }).click();
  assert.equal((await download).suggestedFilename(), "greeter.patch");
  return readFileSync(await (await download).path(), "utf8");
}

/** Prints the tree of the files as they are now, but for the binary one. */
const PRINT_TREE =
  "export GIT_INDEX_FILE=/tmp/tree && git add -A && git rm -q --cached --ignore-unmatch a.bin && git write-tree";

covers(
  ["console-patch"],
  "the patch of a repository makes its files with git apply, also when its diff is cut; what it cannot hold is named",
  async () => {
    const whole =
      "git mv gone.txt kept.txt && printf 'no end' > src/new.txt && ln -s new.txt src/link && chmod +x src/greet.js";
    const small = await worked(
      `${EDIT.replace("rm gone.txt", whole)} && git commit -qam Work && ${PRINT_TREE}`,
    );
    const { page, faults } = await console.signedIn(`/sessions/${small.id}?panel=changes`);
    assert.equal(treeAfter(await downloaded(page)), small.printed);
    assert.equal(await page.getByRole("list", { name: "Not in the patch" }).count(), 0);

    const long = "seq 1 110000 > a.txt && seq 2 110000 > b.txt && printf 'a\\0b' > a.bin";
    const large = await worked(`${EDIT} && ${long} && ${PRINT_TREE}`);
    await page.goto(`${console.origin}/console/sessions/${large.id}?panel=changes`);
    assert.equal(treeAfter(await downloaded(page)), large.printed);
    await page.getByText("The patch leaves out 1 changed file:").waitFor();
    const left = page.getByRole("list", { name: "Not in the patch" }).getByRole("listitem");
    assert.deepEqual(await left.allInnerTexts(), ["a.bin: It is binary, or too large to compare."]);
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-branch"],
  "the branch's name is copied; the host's page of a pushed branch is linked where a connection tells its kind, and else none",
  async () => {
    const session = await worked(
      "git checkout -q -b agent/greet && git commit -q --allow-empty -m Greet && git push -q origin HEAD",
    );
    const { page, context, faults } = await console.signedIn(`/sessions/${session.id}?panel=changes`);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the name of the branch" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate<string>("navigator.clipboard.readText()"), "agent/greet");
    const link = page.getByRole("link", { name: "Open on host" });
    assert.equal(await link.count(), 0, "what the host is, is not known");
    const auth = { type: "token", api: "github", token: "anything" };
    await api.ok("POST", "/connections", { display_name: "Here", url: git.url, auth });
    await page.reload();
    assert.equal(await link.getAttribute("href"), `${git.url}/acme/greeter/tree/agent/greet`);
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-restore"],
  "a file is restored by a message to the agent, which is sent only after a confirmation",
  async () => {
    const session = await worked(`${EDIT} && git rev-parse HEAD`);
    const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=changes`);
    const restore = page.getByRole("button", { name: "Restore src/greet.js" });
    await restore.click();
    const dialog = page.getByRole("dialog", { name: "Restore greet.js?" });
    assert.deepEqual(await accessibilityFaults(page, "[role=dialog]"), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await messagesOf(session), []);
    await restore.click();
    await dialog.getByRole("button", { name: "Ask the agent" }).click();
    await dialog.waitFor({ state: "detached" });
    const [message = "", ...others] = await messagesOf(session);
    assert.deepEqual(others, []);
    assert.match(
      message,
      new RegExp(`^Restore the file /data/greeter/src/greet\\.js\\.\n\nMake .* ${session.printed}, `),
    );
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-pull-request"],
  "a pull request is asked of the agent once there are commits, after a confirmation, by one message",
  async () => {
    const session = await worked(EDIT);
    const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=changes`);
    const create = page.getByRole("button", { name: "Create pull request" });
    assert.equal(await create.isDisabled(), true, "nothing is committed");
    await runTurn(
      api,
      session.id,
      bash("cd /data/greeter && git checkout -q -b greet && git commit -qam Greet"),
    );
    await create.click();
    const dialog = page.getByRole("dialog", { name: "Create a pull request?" });
    assert.deepEqual(await accessibilityFaults(page, "[role=dialog]"), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await messagesOf(session), []);
    await create.click();
    await dialog.getByRole("button", { name: "Ask the agent" }).click();
    await dialog.waitFor({ state: "detached" });
    const [message = "", ...others] = await messagesOf(session);
    assert.deepEqual(others, []);
    assert.match(
      message,
      /^Open a pull request with your commits in \/data\/greeter\.\n\nThe branch "greet" is checked out\./,
    );
    assert.deepEqual(faults, []);
  },
);

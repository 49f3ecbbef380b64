// Tests the disk of a session, in a browser: changes in its repositories, and its files.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { readEventsUntil } from "../acceptance/harness/stream.ts";
import { startGitHost } from "../git-host/git-host.ts";
import { Console } from "./harness/console.ts";

const git = await startGitHost();
after(() => git.stop());
const console = await Console.start({ settings: providerSettings(git) });
const { api } = console;

const FILES = {
  "src/greet.js": 'export function greet(name) {\n  return "Hello " + name;\n}\n',
  "src/old-name.txt": "one\ntwo\nthree\nfour\n",
  "gone.txt": "gone\n",
};
const WORK = [
  "cd /data/greeter",
  `sed -i 's/Hello /Good day, /' src/greet.js`,
  "git mv src/old-name.txt src/new-name.txt && rm gone.txt",
  "printf 'a\\0b' > picture.bin && seq 1 400000 > long.txt && truncate -s 900G disk.img",
  "mkdir -p /data/greeter/docs/deep && echo '# Deep' > docs/deep/notes.md && ln -s /etc/passwd docs/elsewhere",
].join(" && ");

let session: AnyJson;
before(async () => {
  await git.createRepository({ org: "acme", name: "greeter", private: true, files: FILES });
  const authorization_token = git.createToken({ user: "robot", permissions: "write" });
  const repository = { type: "hosted_repository", url: `${git.url}/acme/greeter`, authorization_token };
  session = await makeSession(api, { title: "Work on a disk", resources: [repository] });
  await runTurn(api, session.id, bash(WORK));
});

covers(
  ["console-screens"],
  "changes: an edit in one column and in two, a renamed, a deleted and a binary file, and a diff that is cut",
  async () => {
    const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=changes`);
    const files = page.getByRole("list", { name: "Files" });
    const line = (path: string) =>
      files.getByRole("listitem").filter({ has: page.getByRole("button", { name: path }) });
    const open = (path: string) => files.getByRole("button", { name: path, expanded: false }).click();
    await page.getByText("8 files, 0 commits").waitFor();

    await open("src/greet.js");
    const edit = line("src/greet.js");
    const removed = edit.getByText('removed: return "Hello " + name;');
    await removed.waitFor();
    await removed.locator(".syntax-keyword", { hasText: "return" }).waitFor();
    const added = edit.getByText('added: return "Good day, " + name;');
    await added.waitFor();
    const [left, below] = [await removed.boundingBox(), await added.boundingBox()];
    assert.ok(left !== null && below !== null && below.y > left.y, "in one column the new is below the old");
    await page.getByRole("button", { name: "Old and new side by side" }).click();
    const [old, beside] = [await removed.boundingBox(), await added.boundingBox()];
    assert.ok(old !== null && beside !== null && beside.y === old.y && beside.x > old.x, "in two beside it");
    await page.reload();
    await open("src/greet.js");
    await added.waitFor();
    const button = page.getByRole("button", { name: "Old and new side by side" });
    assert.equal(await button.getAttribute("aria-pressed"), "true", "the choice stays");
    await button.click();

    await line("new-name.txt").getByText("src/old-name.txt →").waitFor();
    await open("new-name.txt");
    await line("new-name.txt").getByText("There are no lines to compare.").waitFor();
    await open("gone.txt");
    await line("gone.txt").getByText("removed: gone").waitFor();
    await open("picture.bin");
    await line("picture.bin").getByText("A binary file.").waitFor();
    await open("disk.img");
    await line("disk.img").getByText("The file is too large to compare.").waitFor();
    await open("long.txt");
    await line("long.txt").getByText("The diff is cut here").waitFor();
    await line("long.txt").getByText("added: 1", { exact: true }).waitFor();
    const further = line("long.txt").getByRole("button", { name: /^Show 2,000 of .* further lines/ });
    assert.equal(await line("long.txt").getByText("added:").count(), 2_000, "not all is drawn at once");
    await further.click();
    await line("long.txt").getByText("added: 4000", { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-screens", "workspace-links"],
  "workspace: folders, a file, a link that is named and leads nowhere",
  async () => {
    const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=workspace`);
    const entries = page.getByRole("list", { name: /^Entries of/ }).getByRole("listitem");
    await entries.getByRole("button", { name: /^docs/ }).click();
    await page.waitForURL(/path=%2Fdata%2Fgreeter%2Fdocs/);
    const link = entries.filter({ hasText: "elsewhere → /etc/passwd" });
    await link.waitFor();
    assert.equal(await link.getByRole("button").or(link.getByRole("link")).count(), 0);
    await entries.getByRole("button", { name: /^deep/ }).click();
    await entries.getByRole("button", { name: /^notes\.md/ }).click();
    await page.getByRole("dialog").getByRole("heading", { name: "Deep", exact: true }).waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Download" }).click();
    assert.equal((await download).suggestedFilename(), "notes.md");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Parent directory" }).click();
    await link.waitFor();
    const directory = page.getByRole("navigation", { name: "Directory" });
    await directory.getByRole("button", { name: "/data/greeter" }).click();
    await page.getByRole("menuitem", { name: "/tmp" }).click();
    await page.getByText("The directory is empty.").waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-screens", "console-faults", "workspace-no-disk"],
  "workspace and changes: that a disk was reclaimed is told plainly, and is no error to try again",
  async () => {
    const settings = { BERTH_DISK_RECLAIM_SECONDS: "1", BERTH_SANDBOX_IDLE_SECONDS: "0" };
    const quick = await Berth.start({ settings });
    after(() => quick.stop());
    const client = await quick.client();
    const used = await makeSession(client);
    await runTurn(client, used.id, bash("echo x > x"));
    await readEventsUntil(client, used.id, ({ type }) => type === "session.container_reclaimed");
    const { page, faults } = await console.signedIn(`/sessions/${used.id}?panel=workspace`, {
      origin: quick.url,
      token: client.token,
    });
    const beside = page.getByRole("complementary", { name: "Session panel" });
    await beside.getByText("The session has no disk now").waitFor();
    await beside.getByText(/its disk was reclaimed, and its next command creates a new one/).waitFor();
    assert.equal(await beside.getByRole("alert").count(), 0);
    assert.equal(await beside.getByRole("button", { name: "Try again" }).count(), 0);
    assert.deepEqual(faults, []);
  },
);

// Tests how the pull requests of a session are shown and followed, in a browser.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Page } from "playwright-core";
import type { AnyJson } from "../acceptance/harness/api.ts";
import { covers } from "../acceptance/harness/covers.ts";
import { bash, makeSession, runTurn } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import type { PullRequest } from "../git-host/github/projects.ts";
import { startGitHubHost } from "../git-host/github-host.ts";
import { accessibilityFaults } from "./harness/accessibility.ts";
import { Console } from "./harness/console.ts";
import { drawn } from "./harness/drawn.ts";
import { type Hands, keyboard, mouse } from "./harness/hands.ts";

let answers = true;
const git = await startGitHubHost({
  intercept: ({ url = "" }, response) => {
    if (answers || !url.startsWith("/api/")) return false;
    response.writeHead(500).end();
    return true;
  },
});
after(() => git.stop());
const console = await Console.start({
  settings: {
    ...providerSettings(git),
    ...{ BERTH_FOLLOW_LOOK_SECONDS: "1", BERTH_FOLLOW_QUIET_SECONDS: "1" },
  },
});
const { api } = console;
const NAMES = ["one", "two", "three", "four", "five", "six"];
before(async () => {
  for (const name of NAMES)
    await git.createRepository({ org: "acme", name, private: true, files: { "a.txt": "a\n" } });
});

const BRANCH = "agent/greet";
const PUSH = `git checkout -q -B ${BRANCH} && git commit -q --allow-empty -m "feat: greet" && git push -q origin ${BRANCH}`;

/** Makes a session with a clone of the repository, in which a branch was pushed, and opens a pull request of it. */
async function opened(name: string): Promise<{ session: AnyJson; pull: PullRequest }> {
  const authorization_token = git.createToken({ user: "robot", permissions: "write" });
  const repository = { type: "hosted_repository", url: `${git.url}/acme/${name}`, authorization_token };
  const session = await makeSession(api, { title: "Greet people", resources: [repository] });
  await runTurn(api, session.id, bash(`cd /data/${name} && ${PUSH}`));
  const fields = { title: "Greet people by name", body: "", draft: false, head: BRANCH, base: "main" };
  const project = git.project("acme", name);
  return {
    session,
    pull: project.openPullRequest({ user: "robot" }, { ...fields, headOid: "a".repeat(40) }),
  };
}

/** Switches "Follow until merged" on with bounds that are wrong first, off, on again, and sees why it ends. */
async function follow(name: string, handsOf: (page: Page) => Hands): Promise<void> {
  const { session } = await opened(name);
  const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=changes`);
  const { press, write, choose } = handsOf(page);
  const part = cardOf(page).getByRole("region", { name: "Follow until merged" });
  const toggle = part.getByRole("switch", { name: "Follow until merged" });
  const read = async () => (await api.ok("GET", `/sessions/${session.id}`)).follow;
  await press(part.getByRole("button", { name: "At most 5 messages" }));
  await write(part.getByLabel("Messages to the agent"), "0");
  await press(toggle);
  await part.getByText(/^Field 'follow.max_attempts' must/).waitFor();
  await write(part.getByLabel("Messages to the agent"), "2");
  await write(part.getByLabel("Cost of the session"), "a lot");
  await press(toggle);
  await part.getByText(/^Field 'follow.max_list_cost.amount' must/).waitFor();
  assert.equal(await part.getByLabel("Cost of the session").getAttribute("aria-invalid"), "true");
  await write(part.getByLabel("Cost of the session"), "1");
  await press(toggle);
  await part.getByText("Watching. The agent was told 0 of 2 times, up to $1.00.").waitFor();
  assert.equal(await toggle.getAttribute("aria-checked"), "true");
  await press(part.getByRole("button", { name: "At most 2 messages, $1" }));
  await choose(part.getByLabel("Conflicts with its base"), "Rebase the branch");
  await press(part.getByRole("button", { name: "Change bounds" }));
  await part.getByRole("button", { name: "Change bounds" }).waitFor({ state: "detached" });
  const { conflicts, max_attempts, max_list_cost } = await read();
  assert.deepEqual([conflicts, max_attempts, max_list_cost.amount], ["rebase", 2, "100"]);
  await press(toggle);
  await part.getByText("Stopped. Following it was ended by request.").waitFor();
  await press(part.getByRole("button", { name: "Start again" }));
  await part.getByText("Watching. The agent was told 0 of 2 times, up to $1.00.").waitFor();
  git.project("acme", name).change(1, { state: "MERGED" });
  await part.getByText(/^Stopped\. .*merged/).waitFor();
  await seen(page, "merged");
  await toggle.waitFor({ state: "detached" });
  assert.equal((await read()).stopped_reason.type, "merged");
  assert.deepEqual(faults, []);
}

const cardOf = (page: Page) => page.getByRole("article", { name: "Pull request 1" });

/** Asks the host until the card shows a text. The host is asked every five seconds at most. */
async function seen(page: Page, text: string | RegExp, press = false): Promise<void> {
  const refresh = page.getByRole("button", { name: "Refresh pull requests" });
  await waitUntil(
    async () => {
      if ((await cardOf(page).getByText(text).count()) > 0) return true;
      if (press) await refresh.press("Enter");
      else await refresh.click();
      return false;
    },
    () => `${text} is not shown`,
  );
}

async function messagesOf(session: AnyJson): Promise<string[]> {
  const { data } = await api.ok("GET", `/sessions/${session.id}/events?limit=100`);
  return data
    .filter(({ type }: AnyJson) => type === "user.message")
    .map(({ content }: AnyJson) => content[0].text)
    .filter((text: string) => !text.startsWith('{"steps"'));
}

const failing = (url: string): PullRequest["checks"][number] => ({
  ...{ name: "test (linux)", state: "failure", by: "run", url },
});

covers(
  ["console-pull-request-state"],
  "a pull request with its checks and reviews is shown in place of what creates it, and followed to its merge",
  async () => {
    const { session, pull } = await opened("one");
    const project = git.project("acme", "one");
    const run = `${git.url}/acme/one/runs/1`;
    pull.checks = [failing(run), { name: "lint", state: "pending", by: "status" }];
    pull.reviews = [{ author: "ann", state: "changes_requested", at: new Date() }];
    const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=changes`);
    const card = cardOf(page);
    const title = card.getByRole("link", { name: /^Greet people by name/ });
    assert.equal(await title.getAttribute("href"), `${git.url}/acme/one/pull/1`);
    await card.getByText("1 failed, 1 pending, 2 checks in all").waitFor();
    assert.equal(await card.getByRole("link", { name: "test (linux)" }).getAttribute("href"), run);
    await card.getByText("ann: changes requested").waitFor();
    assert.equal(await page.getByRole("button", { name: /^(Create|Update) pull request$/ }).count(), 0);

    const fix = card.getByRole("button", { name: "Ask to fix the checks" });
    await fix.click();
    const dialog = page.getByRole("dialog", { name: "Ask to fix the checks?" });
    await dialog.getByText("Make the failing checks of pull request 1 pass").waitFor();
    assert.deepEqual(await accessibilityFaults(page, "[role=dialog]"), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await messagesOf(session), []);
    await fix.press("Enter");
    await dialog.getByRole("button", { name: "Ask the agent" }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    const [message = "", ...others] = await messagesOf(session);
    assert.deepEqual(others, []);
    assert.ok(message.includes(`\n- "test (linux)": ${run}\n`), message);
    await card.getByRole("button", { name: "Ask to answer the reviews" }).waitFor();

    await runTurn(api, session.id, bash("cd /data/one && git commit -q --allow-empty -m more"));
    await page.getByRole("button", { name: "Update pull request" }).waitFor();
    await runTurn(api, session.id, bash(`cd /data/one && git push -q origin ${BRANCH}`));
    await page.getByRole("button", { name: "Update pull request" }).waitFor({ state: "detached" });

    pull.checks = [{ name: "lint", state: "success", by: "status" }];
    pull.reviews = [{ author: "ann", state: "approved", at: new Date() }];
    project.change(1, { title: "Greet \u202eall" });
    await seen(page, "passing", true);
    await card.getByText("ann: approved").waitFor();
    await card.getByText("Greet ⟨U+202E⟩all").waitFor();
    assert.equal(await card.getByRole("button", { name: /^Ask/ }).count(), 0, "there is nothing to ask for");
    project.change(1, { state: "MERGED" });
    await seen(page, /^merged$/);
    const create = page.getByRole("button", { name: "Create pull request" });
    assert.equal(await create.count(), 0, "all commits are merged");
    await runTurn(api, session.id, bash("cd /data/one && git commit -q --allow-empty -m later"));
    await create.waitFor();
    assert.deepEqual(faults, []);
  },
);

covers(
  ["console-pull-request-state"],
  "a host that fails is said in one sentence beside what it said before, which also stays after the session's end",
  async () => {
    const { session } = await opened("two");
    const { page } = await console.signedIn(`/sessions/${session.id}?panel=changes`);
    await cardOf(page).waitFor();
    answers = false;
    try {
      const failure = page.getByText(`${git.host} answered with status 500.`);
      await waitUntil(
        async () => {
          await page.getByRole("button", { name: "Refresh pull requests" }).click();
          return (await failure.count()) > 0;
        },
        () => "the failure is not shown",
      );
      await cardOf(page).getByText("open", { exact: true }).waitFor();
    } finally {
      answers = true;
    }
    await api.ok("POST", `/sessions/${session.id}/archive`);
    await page.reload();
    await page.getByText("The session has no disk now").waitFor();
    await cardOf(page).getByText("open", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "acme/two" }).waitFor();
  },
);

covers(
  ["console-pull-request-state"],
  "who only follows a session sees its pull requests, and cannot ask the agent about them",
  async () => {
    const { session, pull } = await opened("three");
    pull.checks = [failing("")];
    const reader = await console.berth.client({ user: "reader@example.com" });
    await api.ok("POST", `/sessions/${session.id}/share`, { user: "reader@example.com" });
    const { page } = await console.signedIn(`/sessions/${session.id}?panel=changes`, { token: reader.token });
    await cardOf(page).getByText("failing", { exact: true }).waitFor();
    assert.equal(await cardOf(page).getByRole("button").count(), 0);
  },
);

covers(
  ["console-pull-request-state", "console-accessible", "console-narrow"],
  "pull requests at 390 and at 1440 pixels, light and dark: nothing that axe finds, nothing to scroll sideways",
  async () => {
    const { session, pull } = await opened("four");
    git.project("acme", "four").change(1, { mergeable: false, title: `Greet ${"everybody".repeat(20)}` });
    pull.checks = [
      failing(`${git.url}/acme/four/runs/1`),
      { name: `build-${"x".repeat(120)}`, state: "failure", by: "status" },
    ];
    pull.reviews = ["ann", "ben"].map((author) => ({
      ...{ author, state: "changes_requested", at: new Date() },
    }));
    for (const [width, height] of [
      [390, 740],
      [1440, 900],
    ] as const) {
      const at = { width, height };
      const { page, faults } = await console.signedIn(`/sessions/${session.id}?panel=changes`, at);
      await cardOf(page).getByText("conflicts").waitFor();
      assert.deepEqual(await accessibilityFaults(page), [], `${width}`);
      await drawn(page);
      const beyond = "document.documentElement.scrollWidth - innerWidth";
      assert.equal(await page.evaluate<number>(beyond), 0, `${width}`);
      assert.deepEqual(faults, []);
    }
  },
);

covers(
  ["console-pull-request-state", "console-faults"],
  "follow until merged, by mouse: its bounds are told at their fields, it is stopped, started again, and ends with the merge",
  () => follow("five", mouse),
);

covers(["console-pull-request-state"], "follow until merged, by keyboard alone", () =>
  follow("six", keyboard),
);

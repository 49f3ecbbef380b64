// Tests the action that script/release makes, run as runners of actions run it; and `berth ci` as GitLab does.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import type { Json } from "../acceptance/harness/api.ts";
import { startBerth } from "../acceptance/harness/berth.ts";
import { bash, makeAgent } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { waitUntil } from "../acceptance/harness/wait-until.ts";
import { startGitHost } from "../git-host/git-host.ts";
import { installedNode } from "./installed-node.ts";
import { ROOT, run } from "./run.ts";
import { sharedRelease } from "./shared-release.ts";

interface Action {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, object>;
  runs: { using: string; main: string; post: string };
}

type Variables = Record<string, string>;

const git = await startGitHost();
const { api, berth } = await startBerth({ settings: providerSettings(git) });
const token = git.createToken({ user: "octocat", permissions: "write" });

let temporary: string;
let directory: string;
let action: Action;
let node: string;

before(async () => {
  temporary = await mkdtemp(join(tmpdir(), "berth-action-test-"));
  const release = sharedRelease();
  await run(
    "tar",
    ["-xzf", join(release, globSync("berth-action-*.tgz", { cwd: release })[0] ?? "")],
    temporary,
  );
  directory = join(temporary, globSync("berth-action-*", { cwd: temporary })[0] ?? "");
  action = parse(readFileSync(join(directory, "action.yml"), "utf8"));
  assert.equal(action.runs.using, "node24");
  node = await installedNode(temporary, 24);
  await git.createRepository({ org: "acme", name: "widget", private: true, files: { "a.txt": "a\n" } });
});
after(async () => {
  await git.stop();
  await rm(temporary, { recursive: true, force: true });
});

/** A step of a job: its process, what it printed, and the files in which the runner looks afterwards. */
class Step {
  readonly #files: Variables;
  readonly #variables: Variables;
  readonly process: ChildProcess;
  #printed: Promise<string[]>;

  /** Starts a step as a runner does: with its inputs, defaults included, as variables, and empty files. */
  static start(given: Variables, variables: Variables = {}): Step {
    const defaults = Object.entries(action.inputs).map(([name, input]) => [
      name,
      (input.default ?? "").replace(/\$\{\{ github\.token \}\}/, token),
    ]);
    const inputs: Variables = {
      ...Object.fromEntries(defaults),
      url: berth.url,
      token: api.token ?? "",
      ...given,
    };
    for (const name of Object.keys(inputs)) assert.ok(name in action.inputs, name);
    return new Step({
      GITHUB_ACTIONS: "true",
      GITHUB_SERVER_URL: git.url,
      GITHUB_REPOSITORY: "acme/widget",
      GITHUB_REF_NAME: "main",
      GITHUB_REF_TYPE: "branch",
      ...Object.fromEntries(
        Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
      ),
      ...variables,
    });
  }

  private constructor(variables: Variables) {
    const file = (name: string) => {
      const path = join(temporary, `${name}-${crypto.randomUUID()}`);
      writeFileSync(path, "");
      return path;
    };
    this.#files = {
      GITHUB_OUTPUT: file("output"),
      GITHUB_STEP_SUMMARY: file("summary"),
      GITHUB_STATE: file("state"),
    };
    this.#variables = { PATH: "/usr/bin:/bin", HOME: temporary, ...variables, ...this.#files };
    [this.process, this.#printed] = this.#spawn(action.runs.main);
  }

  #spawn(program: string, more: Variables = {}): [ChildProcess, Promise<string[]>] {
    const child = spawn(node, [join(directory, program)], {
      cwd: temporary,
      env: { ...this.#variables, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return [child, Promise.all([text(child.stdout), text(child.stderr)])];
  }

  /** Returns the exit code, and what was printed. */
  async end(): Promise<{ code: number | null; stdout: string; stderr: string }> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, "exit");
    const [stdout = "", stderr = ""] = await this.#printed;
    for (const printed of [stdout, stderr])
      for (const secret of [token, api.token ?? ""]) assert.ok(!printed.includes(secret));
    return { code: this.process.exitCode, stdout, stderr };
  }

  /** Runs what the action does after the job, with the state that the step left. */
  async post(): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const state = this.#read("GITHUB_STATE")
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("="));
    const more = Object.fromEntries(state.map(([name, value]) => [`STATE_${name}`, value ?? ""]));
    const [child, printed] = this.#spawn(action.runs.post, more);
    const [[code], [stdout = "", stderr = ""]] = await Promise.all([once(child, "exit"), printed]);
    return { code, stdout, stderr };
  }

  /** The outputs, as the runner reads them. */
  get outputs(): Variables {
    const found: Variables = {};
    const lines = this.#read("GITHUB_OUTPUT").split("\n");
    for (let at = 0; at < lines.length - 1; ) {
      const [, name = "", delimiter = ""] = /^(\w+)<<(.+)$/.exec(lines[at] ?? "") ?? [];
      assert.ok(name in action.outputs, `an output that the action declares: ${lines[at]}`);
      const end = lines.indexOf(delimiter, at + 1);
      found[name] = lines.slice(at + 1, end).join("\n");
      at = end + 1;
    }
    return found;
  }

  get summary(): string {
    return this.#read("GITHUB_STEP_SUMMARY");
  }

  /** Resolves once the session runs a command. */
  async working(): Promise<string> {
    await waitUntil(
      () => "session_id" in this.outputs,
      () => "The step has no session.",
    );
    const id = this.outputs.session_id ?? "";
    await waitUntil(
      async () => (await eventsOf(id, "agent.tool_use")).length > 0,
      () => "The agent begins no command.",
    );
    return id;
  }

  #read(name: string): string {
    return readFileSync(this.#files[name] ?? "", "utf8");
  }
}

const task = (...list: Json[]) => JSON.stringify({ steps: list });
const MODEL = { model: "rehearsal/steps" };

// biome-ignore lint/suspicious/noExplicitAny: events have a shape for each type
async function eventsOf(session: string, type: string): Promise<any[]> {
  return (await api.ok("GET", `/sessions/${session}/events?types[]=${type}&limit=100`)).data;
}

test("a step: the job's repository is changed and pushed, and its outputs and summary tell of the session", async () => {
  const address = `${git.url}/acme/widget/pull/1`;
  const said = `Opened ${address}\n::error::forged\nmessage<<end\n\`\`\`\n<b>bold</b>`;
  const push =
    "cd /data/widget && git switch -qc work && echo b >>a.txt && git commit -qam B && git push -q origin work";
  const step = Step.start({
    ...MODEL,
    task: task(bash(push), { say: said }),
    title: "Change | <a>",
    budget: "2.50",
  });
  const { code, stdout, stderr } = await step.end();
  assert.equal(code, 0, stderr);
  const { session_id: id, ...outputs } = step.outputs;
  assert.deepEqual(outputs, {
    session_url: `${berth.url}/console/sessions/${id}`,
    outcome: "end_turn",
    message: said,
    pull_request_url: address,
  });
  const [, key = ""] = /^::stop-commands::(\S+)$/m.exec(stdout) ?? [];
  const [before = "", inside = "", behind = ""] = stdout.split(
    new RegExp(`^::(?:stop-commands::)?${key}(?:::)?$`, "m"),
  );
  assert.match(inside, /^\s*::error::forged$/m, "the runner reads no command from what an agent says");
  assert.doesNotMatch(before + behind, /::\w/);
  assert.ok(step.summary.includes(`[Open the session](${berth.url}/console/sessions/${id})`));
  assert.match(step.summary, /^\| Task \| Change &#124; &lt;a> \|$/m);
  assert.match(step.summary, /^\| State \| done \|$/m);
  assert.ok(step.summary.includes(`\n\`\`\`\`text\n${said}\n\`\`\`\`\n`), "the message is no markup");
  const [commit] = await git.log("acme", "widget", "work");
  assert.equal(commit?.subject, "B");
  const session = await api.ok("GET", `/sessions/${id}`);
  assert.deepEqual([session.title, session.archived_at === null], ["Change | <a>", false]);
  assert.equal(session.budget.max_list_cost.amount, "250");
  assert.deepEqual(session.resources[0].checkout, { type: "branch", name: "main" });
  assert.deepEqual(await step.post(), { code: 0, stdout: "", stderr: "" });
});

test("a step whose agent asks, fails, or is not waited for: the exit codes of berth run, and what happened in the summary", async () => {
  const configs = [{ name: "Bash", permission_policy: { type: "always_ask" } }];
  const asking = await makeAgent(api, { tools: [{ type: "agent_toolset_20260401", configs }] });
  const none = { repository: "none" };
  for (const [given, code, outcome, state] of [
    [
      { agent: asking.id, task: task(bash("echo one")) },
      3,
      "requires_action",
      "waits for somebody to allow or answer calls",
    ],
    [{ ...MODEL, task: task({ fail: "authentication" }) }, 1, undefined, "failed"],
    [{ ...MODEL, task: task({ say: "Later." }), wait: "false" }, 0, undefined, "started"],
  ] as const) {
    const step = Step.start({ ...none, ...given });
    assert.equal((await step.end()).code, code);
    if (outcome !== undefined) assert.equal(step.outputs.outcome, outcome);
    assert.ok(step.summary.includes(`| State | ${state} |`), step.summary);
    assert.match(step.outputs.session_id ?? "", /^sess_/);
  }
});

test("a job that is cancelled: the agent is interrupted, by the step itself or after it was killed", async () => {
  const long = { ...MODEL, repository: "none", task: task(bash("sleep 600"), { say: "Over." }) };
  const interrupted = async (session: string) => {
    await waitUntil(
      async () => (await eventsOf(session, "session.status_idle")).length > 0,
      () => "The session is not interrupted.",
    );
    assert.equal((await eventsOf(session, "user.interrupt")).length, 1);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const step = Step.start(long);
    const session = await step.working();
    step.process.kill(signal);
    assert.equal((await step.end()).code, 130);
    await interrupted(session);
    assert.ok(step.summary.includes("| State | cancelled |"));
    assert.deepEqual(await step.post(), { code: 0, stdout: "", stderr: "" });
  }
  const killed = Step.start(long);
  const session = await killed.working();
  killed.process.kill("SIGKILL");
  await killed.end();
  assert.equal((await killed.post()).code, 0);
  await interrupted(session);
});

test("wrong inputs: one sentence, and the exit codes of wrong usage and of a token", async () => {
  for (const [given, code, sentence] of [
    [{ task: " " }, 2, "error: The input 'task' is empty. Say what the agent should do."],
    [{ task: "x", wait: "yes" }, 2, "error: The input 'wait' must be 'true' or 'false'."],
    [
      { task: "x", budget: "2.505" },
      2,
      "error: The input 'budget' is '2.505'. It must be US dollars from 0.01 to 999999.99, such as 2.50.",
    ],
    [{ task: "x", repository: "none", branch: "b" }, 2, "error: The input 'branch' needs a repository."],
    [
      { task: "x", url: "berth" },
      2,
      "error: The server's URL is not valid. It must be like http://127.0.0.1:4180.",
    ],
    [{ task: "x", token: "wrong" }, 4, "error: "],
  ] as [Variables, number, string][]) {
    const step = Step.start(given);
    const { code: ended, stderr } = await step.end();
    assert.equal(ended, code);
    assert.ok(stderr.startsWith(sentence), stderr);
    assert.deepEqual([step.outputs, step.summary], [{}, ""]);
  }
});

test("berth ci in a job of GitLab: its project and branch, a dotenv report, and a summary", async () => {
  const [output, summary] = [join(temporary, "berth.env"), join(temporary, "berth.md")];
  const env = {
    ...{ CI_PROJECT_URL: `${git.url}/acme/widget`, CI_COMMIT_BRANCH: "main", BERTH_URL: berth.url },
    ...{ BERTH_TOKEN: api.token ?? "", BERTH_REPOSITORY_TOKEN: token, BERTH_MODEL: "rehearsal/steps" },
    ...{ BERTH_OUTPUT_FILE: output, BERTH_SUMMARY_FILE: summary },
    BERTH_TASK: task(bash("cat /data/widget/a.txt"), { say: "Two\nBERTH_OUTCOME=forged", expect: "a" }),
  };
  assert.match(await run(join(ROOT, "bin/berth"), ["ci"], temporary, env), /BERTH_OUTCOME=forged/);
  const lines = readFileSync(output, "utf8").trimEnd().split("\n");
  const [id = ""] = /sess_\w+/.exec(lines[0] ?? "") ?? [];
  assert.deepEqual(lines, [
    `BERTH_SESSION_ID=${id}`,
    `BERTH_SESSION_URL=${berth.url}/console/sessions/${id}`,
    "BERTH_OUTCOME=end_turn",
    "BERTH_MESSAGE=Two BERTH_OUTCOME=forged",
    "BERTH_PULL_REQUEST_URL=",
  ]);
  assert.match(readFileSync(summary, "utf8"), /^\| State \| done \|$/m);
});

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { AnyJson, Api, Json } from "../acceptance/harness/api.ts";
import { Berth } from "../acceptance/harness/berth.ts";
import { makeAgent, makeEnvironment, runTurn, toolResults } from "../acceptance/harness/fixtures.ts";
import { providerSettings } from "../acceptance/harness/provider-settings.ts";
import { sharedSystem } from "../acceptance/harness/root-filesystem.ts";
import { launchBrowser } from "../console/harness/browser.ts";
import { type GitHost, startGitHost } from "../git-host/git-host.ts";
import { type NpmMirror, startNpmMirror } from "../npm-registry/npm-mirror.ts";
import { makeRepository, type Project } from "./project.ts";

const SYSTEM = sharedSystem();

interface Place {
  host: GitHost;
  npm: NpmMirror;
  api: Api;
}

/**
 * Each project is built, tested, changed, committed and pushed in a session, whose sandbox is closed after
 * each turn, and gone on with.
 */
export function projectTests(projects: readonly Project[]): void {
  let directory: string;
  let host: GitHost;
  let npm: NpmMirror;
  let berth: Berth;
  let api: Api;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "projects-"));
    host = await startGitHost({ dir: join(directory, "host") });
    npm = await startNpmMirror(directory);
    const settings = providerSettings(host);
    const authorities = [host, npm].map((one) => ({ host: one.host, ca_file: one.caFile }));
    berth = await Berth.start({
      settings: {
        ...settings,
        ...SYSTEM.settings,
        BERTH_GIT_CA_FILES: JSON.stringify(authorities),
        BERTH_EGRESS_ALLOW_PRIVATE: `${host.host} ${npm.host} deb.debian.org`,
        BERTH_NPM_REGISTRY: npm.url,
        BERTH_SANDBOX_IDLE_SECONDS: "0",
      },
    });
    api = await berth.client();
  });
  after(async () => {
    await berth?.stop();
    await Promise.all([host?.stop(), npm?.stop()]);
    await rm(directory, { recursive: true, force: true });
  });

  for (const project of projects) {
    const title = `project ${project.name}: built, tested, changed, pushed, and gone on with after its sandbox was closed`;
    test(title, { skip: SYSTEM.skip }, () => work(project, { host, npm, api }));
  }
}

async function work(project: Project, place: Place): Promise<void> {
  const { host, api } = place;
  await makeRepository(host, project);
  const session = await open(project, place);
  const at = `cd /data/${project.name}`;
  const say = async (script: string) => {
    const printed =
      toolResults(await runTurn(api, session, patiently(`${at} && { ${script}\n}`))).at(-1) ?? "";
    // Notes for the agent follow the output.
    return printed.replace(/(\n?\[[^\]\n]*\])+$/, "").trim();
  };
  const check = `( set -e\n${project.check}\necho tested\n)`;
  assert.match(await say(check), /(^|\n)tested$/);
  assert.equal(await say("git status --porcelain && echo clean"), "clean", "git ignores what a build makes");
  if (project.devcontainer !== undefined) await checkDevcontainer(project.devcontainer, session, api);
  if (project.page !== undefined) await showPage(project.page, session, say, api);
  const push =
    "git checkout -q -b change && git add --all && git commit -q -m 'Change it' && git push -q origin change";
  const pushed = await say(`( set -e\n${project.change}\n) && ${push} && git rev-parse HEAD`);
  const [newest] = await host.log("acme", project.name, "change");
  assert.equal(newest?.subject, "Change it", pushed);
  assert.equal(pushed.split("\n").at(-1), newest.sha);
  assert.equal(await say("git rev-parse HEAD; git status --porcelain"), newest.sha);
  assert.match(await say(check), /(^|\n)tested$/);
  await api.ok("DELETE", `/sessions/${session}`);
}

async function checkDevcontainer(
  { chosen, forwardPorts }: NonNullable<Project["devcontainer"]>,
  session: string,
  api: Api,
): Promise<void> {
  const { chosen_runtimes, devcontainer } = await api.ok("GET", `/sessions/${session}`);
  assert.deepEqual(chosen_runtimes.missing, []);
  const places = chosen_runtimes.runtimes.map(({ runtime, file }: AnyJson) => `${runtime} ${file}`);
  assert.deepEqual(places.toSorted(), chosen);
  assert.deepEqual(devcontainer.forward_ports, forwardPorts);
}

async function showPage(
  { start, port, shows, edit, showsThen, end }: NonNullable<Project["page"]>,
  session: string,
  say: (script: string) => Promise<string>,
  api: Api,
): Promise<void> {
  assert.equal(await say(`${start}\necho listening`), "listening");
  const { url } = await api.ok("POST", `/sessions/${session}/previews`, { port });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    let loads = 0;
    await page.goto(url);
    await page.getByText(shows).waitFor();
    page.on("load", () => {
      loads += 1;
    });
    await say(edit);
    await page.getByText(showsThen).waitFor();
    assert.equal(loads, 0, "the server told the page, which had no need to be loaded again");
  } finally {
    await browser.close();
  }
  await say(end);
}

/** Like `bash`, with the time that a build takes on a busy machine. */
function patiently(command: string): Json {
  return { tool: "Bash", input: { command, timeout: 600_000 } };
}

async function open(project: Project, { host, npm, api }: Place): Promise<string> {
  const environment = await makeEnvironment(api, {
    ...(project.page && { keep_alive_seconds: 600 }),
    config: {
      type: "cloud",
      networking: { type: "limited", allowed_hosts: [npm.host] },
      ...(project.runtimes && { runtimes: project.runtimes }),
      ...(project.apt && { packages: { apt: [...project.apt] } }),
    },
    environment_variables: { NPM_CONFIG_REGISTRY: npm.url, YARN_NPM_REGISTRY_SERVER: npm.url },
  });
  const agent = await makeAgent(api);
  const resource = {
    type: "hosted_repository",
    url: `${host.url}/acme/${project.name}`,
    authorization_token: host.createToken({ user: "robot", permissions: "write" }),
    ...(project.devcontainer && { environment: { from: "devcontainer" } }),
  };
  const body = { agent: agent.id, environment_id: environment.id, resources: [resource] };
  return (await api.ok("POST", "/sessions", body)).id;
}

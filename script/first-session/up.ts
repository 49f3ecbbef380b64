import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { previewsFor, renderEvents } from "@berth/cli";
import { Berth, NotFoundError } from "@berth/sdk";
import { type GitHost, startGitHost } from "../../tests/git-host/git-host.ts";
import { createGuideRepository, writeGuideEnvironment } from "./guide-environment.ts";
import { readOptions, type UpOptions } from "./options.ts";
import { requireNoOtherService, type Service, startService } from "./service.ts";
import { task } from "./task.ts";
import { tokenFor } from "./token.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const README = join(ROOT, "README.md");
const GITHUB = { host: "github.com", api: "https://api.github.com", token_env: ["GH_TOKEN"] };
/** The default of script/sandbox-system. */
const SYSTEMS = "/var/cache/berth-system";
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
// A closed output pipe, such as that of `head`, also stops everything in order.
process.stdout.on("error", () => stop.abort());

/** Runs the command until a signal or, with `--once`, the end of the session. Returns the exit code. */
export async function up(args: string[]): Promise<number> {
  const options = readOptions(args);
  if ("help" in options) {
    process[options.code === 0 ? "stdout" : "stderr"].write(options.help);
    return options.code;
  }
  return await serveFirst(options).catch((error: Error) => {
    process.stderr.write(`berth up: ${error.message}\n`);
    return 1;
  });
}

async function serveFirst(options: UpOptions): Promise<number> {
  await requireNoOtherService(options.dataDir);
  const gitHost = await startFirstHost(options.dataDir);
  try {
    const service = await startService(options.dataDir, options.port, settings(gitHost));
    try {
      return await serveFirstSession(service, gitHost, options);
    } finally {
      await service.stop();
    }
  } finally {
    await gitHost.stop();
  }
}

/**
 * Runs the first session. Returns the exit code: 0 if its commit is on the git server, 130 if it was
 * interrupted.
 */
async function serveFirstSession(service: Service, gitHost: GitHost, options: UpOptions): Promise<number> {
  const { token, file } = await tokenFor(options.dataDir, service.url);
  const environment = await writeGuideEnvironment(options.dataDir, { url: service.url, token }, gitHost);
  print(`Berth listens on ${service.url}; your access token is in ${file}\n`);
  const pushed = await firstSession(new Berth({ baseURL: service.url, token }), gitHost, options);
  if (stop.signal.aborted && !pushed) return 130;
  if (options.once || stop.signal.aborted) return pushed ? 0 : 1;
  print(`\nBerth runs until Ctrl-C. API reference: ${service.url}/docs · log: ${service.logFile}`);
  print(`For the guides, in another terminal: . ${shown(environment)}`);
  const link = (await addConsole()) ? await consoleLink(new Berth({ baseURL: service.url, token })) : null;
  if (link !== null) print(`There, 'berth console' opens the console. Now, within 60 seconds: ${link}`);
  const stopped = await untilStopped(service);
  return stopped && pushed ? 0 : 1;
}

/**
 * Installs and builds the console in a clone, once the first session has run without it. The service serves it
 * from then on. Returns false on failure; the service then runs without a console.
 */
async function addConsole(): Promise<boolean> {
  const setup = join(ROOT, "script/setup");
  if (!existsSync(setup)) return true;
  // In a process group of its own, so that a signal to the group also ends npm.
  const running = spawn(setup, { stdio: ["ignore", "ignore", "inherit"], detached: true });
  const end = () => running.pid !== undefined && running.exitCode === null && process.kill(-running.pid);
  stop.signal.addEventListener("abort", end);
  const [code] = await once(running, "exit");
  if (code !== 0 && !stop.signal.aborted)
    print("\nThe console could not be built. To try again: script/setup");
  return code === 0;
}

/** Returns a link that signs in to the console; null if the console is turned off. */
async function consoleLink(client: Berth): Promise<string | null> {
  try {
    return (await client.consoleLinks.create()).url;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/**
 * Starts a git server, with its own certificate authority and tokens. It has a private repository with this
 * checkout, or with the README if this is no checkout.
 */
async function startFirstHost(dataDir: string): Promise<GitHost> {
  const dir = join(dataDir, "first-session");
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await rm(dir, { recursive: true, force: true });
  const gitHost = await startGitHost({ dir });
  const isCheckout = existsSync(join(ROOT, ".git"));
  const source = isCheckout ? { from: ROOT } : { files: { "README.md": await readFile(README, "utf8") } };
  await gitHost.createRepository({ org: "you", name: "berth", private: true, ...source });
  await createGuideRepository(gitHost);
  return gitHost;
}

function settings(gitHost: GitHost): Record<string, string> {
  const { BERTH_HOSTED_PROVIDERS: own = JSON.stringify([GITHUB]) } = process.env;
  const providers = [
    ...(JSON.parse(own) as unknown[]),
    { host: gitHost.host, token_env: ["GH_TOKEN"], ca_file: gitHost.caFile },
  ];
  // script/setup builds the system of sandboxes there, so that the first session does not wait for it.
  const system =
    process.getuid?.() === 0 ? { BERTH_SYSTEM_DIR: process.env.BERTH_SYSTEM_DIR ?? SYSTEMS } : {};
  return {
    BERTH_HOSTED_PROVIDERS: JSON.stringify(providers),
    BERTH_EGRESS_ALLOW_PRIVATE: [process.env.BERTH_EGRESS_ALLOW_PRIVATE ?? "", gitHost.host].join(),
    ...system,
  };
}

/** Runs the session and prints its events. Returns true if the git server has its commit. */
async function firstSession(client: Berth, gitHost: GitHost, options: UpOptions): Promise<boolean> {
  const branch = `agent/hello-${Date.now().toString(36)}`;
  const toolset = { type: "agent_toolset_20260401" } as const;
  const agent = await client.agents.create({ name: "First agent", model: options.model, tools: [toolset] });
  const environment = await firstEnvironment(client);
  const url = `${gitHost.url}/you/berth`;
  const secret = gitHost.createToken({ user: "you", repositories: ["you/berth"], permissions: "write" });
  const session = await client.sessions.create({
    agent: agent.id,
    environment_id: environment,
    title: "First session",
    resources: [{ type: "hosted_repository", url, authorization_token: secret }],
    initial_events: [
      {
        type: "user.message",
        content: [{ type: "text", text: task(options.model, { path: "/data/berth", branch }) }],
      },
    ],
  });
  print(`Session ${session.id}: ${options.model} works on ${url}\n`);
  const follow = { from: "start", event_deltas: previewsFor(process.stdout) } as const;
  const events = client.sessions.events.untilIdle(session.id, follow, { signal: stop.signal });
  await renderEvents(events, process.stdout, { resources: session.resources });
  const commit = await headCommit(gitHost, branch);
  print(`\n${commit === null ? failure(branch) : `The git server has ${branch}: ${commit}`}`);
  return commit !== null;
}

/** Returns the branch's head commit on the git server, on one line; null if there is no such branch. */
async function headCommit(gitHost: GitHost, branch: string): Promise<string | null> {
  if ((await gitHost.head("you", "berth", branch)) === null) return null;
  const [commit] = await gitHost.log("you", "berth", branch);
  return commit === undefined ? null : `${commit.sha.slice(0, 12)} ${commit.subject} (${commit.author})`;
}

function failure(branch: string): string {
  return stop.signal.aborted
    ? "Stopped before the first session ended."
    : `The git server has no branch ${branch}.`;
}

/** Returns the environment that an earlier start on this data directory created, or a new one. */
async function firstEnvironment(client: Berth): Promise<string> {
  const name = "first";
  for await (const environment of client.environments.list())
    if (environment.name === name) return environment.id;
  return (await client.environments.create({ name })).id;
}

/** Waits for a signal. Returns false if the service ended by itself. */
async function untilStopped(service: Service): Promise<boolean> {
  const stopped = new Promise<"stopped">((resolve) => {
    if (stop.signal.aborted) resolve("stopped");
    stop.signal.addEventListener("abort", () => resolve("stopped"));
  });
  const ended = await Promise.race([stopped, service.ended]);
  if (ended !== "stopped")
    print(`Berth ended unexpectedly with exit code ${ended}. Its log is ${service.logFile}`);
  return ended === "stopped";
}

/** Returns a path relative to the working directory if it is below it. */
function shown(file: string): string {
  const path = relative("", file);
  return path.startsWith("..") ? file : path;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

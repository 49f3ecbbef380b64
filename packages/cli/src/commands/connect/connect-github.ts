import { type Berth, NotFoundError } from "@berth/sdk";
import { type ConfirmOptions, confirm } from "../../shared/confirm.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { openBrowser } from "../../shared/open-browser.ts";
import { printResult } from "../../shared/output.ts";
import { printMessage } from "../../terminal/print.ts";
import { ensureAgent, ensureEnvironment } from "../run/defaults.ts";
import {
  appOf,
  deletionPageOf,
  formOf,
  type GitHub,
  type GitHubApp,
  gitHubAt,
  installationOf,
  manifestOf,
} from "./github-app.ts";
import { serveManifest } from "./manifest-server.ts";

type Options = ConnectionOptions &
  OutputOptions &
  ConfirmOptions & {
    host: string;
    organization?: string;
    name?: string;
    deployment?: string;
    agent?: string;
    model?: string;
    environment?: string;
    task?: string;
    events?: string[];
    forAll?: boolean;
    port?: string;
    open: boolean;
    undo?: string;
  };

/** Metadata of what this command makes, so that it undoes nothing else. */
const MARK = { created_by: "berth connect github" };

const TASK =
  "Somebody asked for you at GitHub; the document says where and what. Do what they ask in the repository, on a branch of its own, and open a pull request if you changed something. Your last message is the answer that they read.";

/** Connects a GitHub App with a deployment, or undoes it. Exit code 130 after Ctrl-C, with nothing left. */
export async function connectGitHub(options: Options): Promise<number | undefined> {
  if (options.undo !== undefined) return await undo(options.undo, options);
  const github = gitHubAt(options.host);
  const port = options.port === undefined ? 0 : portOf(options.port);
  const client = await connect(options);
  const undoing: (() => Promise<unknown>)[] = [];
  const interrupted = new AbortController();
  const stop = () => interrupted.abort(new UsageError("Interrupted.", EXIT_CODES.interrupted));
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, stop);
  try {
    const made = await make({ client, github, options, port, undoing, signal: interrupted.signal });
    await printResult(made, options, () => [
      `Deployment ${made.deployment_id} starts a session for an issue with the label berth, or a comment with @berth.`,
      `Connection ${made.connection_id} clones and answers as ${made.app} in the repositories of ${made.account}.`,
      `To undo it: berth connect github --undo ${made.deployment_id}`,
    ]);
    return undefined;
  } catch (error) {
    for (const one of undoing.toReversed())
      await one().catch((fault: Error) => printMessage(`Something is left: ${fault.message}`));
    throw error;
  } finally {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.off(name, stop);
  }
}

interface Making {
  client: Berth;
  github: GitHub;
  options: Options;
  port: number;
  /** What undoes the steps taken so far. */
  undoing: (() => Promise<unknown>)[];
  signal: AbortSignal;
}

async function make({ client, github, options, port, undoing, signal }: Making) {
  const { organization, events = [] } = options;
  if (options.forAll) await requireAdmin(client);
  const deployment = options.deployment ?? (await makeDeployment(client, options, undoing));
  const trigger = await client.deployments.triggers.create(deployment, {
    type: "github",
    name: "GitHub App",
    // Until the connection is there, by which GitHub says who may.
    allowed_users: [],
    ...(events.length > 0 && { filter: { events } }),
  });
  undoing.push(() => client.deployments.triggers.delete(deployment, trigger.id));
  if (trigger.url === null)
    throw new UsageError(
      "The service does not know its own address. Set BERTH_PUBLIC_URL, which GitHub must reach.",
    );
  const name = options.name ?? `Berth ${new URL(trigger.url).host}`.slice(0, 34);
  const app = await makeApp({ github, options, port, signal }, name, trigger.url);
  const page = deletionPageOf(github, organization, app.slug);
  undoing.push(async () => printMessage(`Delete the app, which no API can: ${page}`));
  printMessage(`GitHub made the app ${app.slug}. Install it: ${app.html_url}/installations/new`);
  const installation = await installationOf(github, app, signal);
  const connection = await client.connections.create({
    display_name: name,
    url: github.url,
    auth: {
      type: "github_app",
      app_id: `${app.id}`,
      installation_id: installation.id,
      private_key: app.pem,
    },
    ...(options.forAll && { owner_type: "organization" as const }),
    metadata: { ...MARK, deletion_page: page },
  });
  undoing.push(() => client.connections.delete(connection.id));
  const tested = await client.connections.test(connection.id);
  if (!tested.ok)
    throw new UsageError(`The service cannot use the app: ${tested.message}`, EXIT_CODES.failed);
  await client.deployments.triggers.update(deployment, trigger.id, {
    connection_id: connection.id,
    secret: app.webhook_secret,
  });
  return {
    deployment_id: deployment,
    trigger_id: trigger.id,
    connection_id: connection.id,
    ...{ app: app.slug, account: installation.account, url: trigger.url },
  };
}

/** Has GitHub make an app that delivers to `hook`, by the user's browser. */
async function makeApp(
  { github, options, port, signal }: Pick<Making, "github" | "options" | "port" | "signal">,
  name: string,
  hook: string,
): Promise<GitHubApp> {
  const events = (options.events ?? []).map(eventOf);
  const homepage = new URL(hook).origin;
  const server = await serveManifest(formOf(github, options.organization), port, (redirect) =>
    manifestOf({ name, homepage, hook, redirect, events }),
  );
  try {
    const opens = options.open && (await openBrowser(server.page, "github.html"));
    printMessage(
      `${opens ? "If no browser opened, open" : "Open"} this address, and make the app: ${server.page}`,
    );
    return await server.cameBack(async (code) => {
      const value = await appOf(github, code);
      return { next: `${value.html_url}/installations/new`, value };
    }, signal);
  } finally {
    server.close();
  }
}

/** Rejects somebody whose connection for all members the service would reject, before GitHub has made an app. */
async function requireAdmin(client: Berth): Promise<void> {
  const { principal, role } = await client.whoami.get();
  if (principal.type === "service_account" || role === "admin") return;
  throw new UsageError("--for-all is for admins of the organization.", EXIT_CODES.notAllowed);
}

async function makeDeployment(client: Berth, options: Options, undoing: Making["undoing"]): Promise<string> {
  const { id } = await client.deployments.create({
    name: options.name ?? "GitHub",
    agent: options.agent ?? (await ensureAgent(client, options.model ?? process.env.BERTH_MODEL)),
    environment_id: options.environment ?? (await ensureEnvironment(client)),
    initial_events: [{ type: "user.message", content: [{ type: "text", text: options.task ?? TASK }] }],
    metadata: MARK,
  });
  undoing.push(() => client.deployments.archive(id));
  return id;
}

/** Deletes the triggers and connections that this command made, and archives the deployment if it made that. */
async function undo(id: string, options: Options): Promise<undefined> {
  const client = await connect(options);
  const deployment = await client.deployments.get(id);
  const triggers = [];
  for await (const one of client.deployments.triggers.list(id)) if (one.type === "github") triggers.push(one);
  const connections = new Map<string, string | undefined>();
  for (const { connection_id: one } of triggers) {
    const connection = one === null ? null : await client.connections.get(one).catch(unlessMissing);
    if (connection?.metadata.created_by === MARK.created_by)
      connections.set(connection.id, connection.metadata.deletion_page);
  }
  const isOurs = deployment.metadata.created_by === MARK.created_by && deployment.archived_at === null;
  if (triggers.length === 0 && !isOurs) throw new UsageError(`Deployment '${id}' has no trigger of GitHub.`);
  await confirm(
    `Delete the GitHub trigger of '${deployment.name}'${isOurs ? ", and archive the deployment" : ""}?`,
    options,
  );
  for (const one of triggers) await client.deployments.triggers.delete(id, one.id);
  for (const one of connections.keys()) await client.connections.delete(one);
  if (isOurs) await client.deployments.archive(id);
  const undone = {
    triggers: triggers.map((one) => one.id),
    connections: [...connections.keys()],
    archived: isOurs ? id : null,
    deletion_pages: [...connections.values()].filter((one) => one !== undefined),
  };
  await printResult(undone, options, () => [
    ...undone.triggers.map((one) => `Deleted trigger ${one}.`),
    ...undone.connections.map((one) => `Deleted connection ${one}.`),
    ...(isOurs ? [`Archived deployment ${id}.`] : []),
    ...undone.deletion_pages.map((one) => `Delete the app, which no API can: ${one}`),
  ]);
  return undefined;
}

function unlessMissing(error: unknown): null {
  if (error instanceof NotFoundError) return null;
  throw error;
}

/** `workflow_run.completed` is an action of the event `workflow_run`, for which an app asks. */
function eventOf(name: string): string {
  return name.split(".")[0] ?? name;
}

function portOf(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new UsageError("--port must be a number from 1 to 65535.");
}

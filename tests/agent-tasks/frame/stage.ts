import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnyJson, Api } from "../../acceptance/harness/api.ts";
import { Berth } from "../../acceptance/harness/berth.ts";
import { makeEnvironment } from "../../acceptance/harness/fixtures.ts";
import { NO_LIMITS } from "../../acceptance/harness/no-limits.ts";
import { providerSettings } from "../../acceptance/harness/provider-settings.ts";
import { type GitHost, startGitHost } from "../../git-host/git-host.ts";
import { type Charge, Provider } from "./provider.ts";
import type { Form, Task } from "./task.ts";

/**
 * The lifetime of the provider's cache. A session whose user is silent is summarised after four fifths of it.
 */
const CACHE_SECONDS = 30;
const WINDOW = 400_000;

/** A service with a git server and a model provider, for tasks that run at the same time. */
export interface Stage {
  berth: Berth;
  api: Api;
  provider: Provider;
  host: GitHost;
  /** The directory of the git server's bare repositories. */
  repositories: string;
  environment: AnyJson;
  close(): Promise<void>;
}

/** Returns the model id of a task that is played in this form. */
export function modelId(task: Task, form: Form): string {
  return `${task.name}-${form}`;
}

/**
 * Starts a stage. @param plays the plays, so that the service knows their models. @param charge by size by
 * default.
 */
export async function startStage(plays: readonly (readonly [Task, Form])[], charge?: Charge): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "agent-tasks-"));
  const provider = new Provider(charge);
  const [base_url, host] = await Promise.all([
    provider.listen(),
    startGitHost({ dir: join(directory, "host") }),
  ]);
  const models = plays.map(([task, form]) => ({
    id: `tasks/${modelId(task, form)}`,
    context_window: WINDOW,
  }));
  const providers = { tasks: { kind: "anthropic", base_url, cache_seconds: CACHE_SECONDS } };
  const file = join(directory, "models.json");
  await writeFile(file, JSON.stringify({ providers, models }));
  const berth = await Berth.start({
    settings: { ...providerSettings(host), ...NO_LIMITS, BERTH_MODELS_FILE: file },
  });
  const api = await berth.client();
  return {
    ...{ berth, api, provider, host, repositories: join(directory, "host", "repositories") },
    environment: await makeEnvironment(api),
    async close() {
      await Promise.all([berth.stop(), host.stop(), provider.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

import { join } from "node:path";
import {
  type Capability,
  describeTree,
  isolationCapabilities,
  madeTree,
  probeEngine,
  type SandboxEngine,
} from "@berth/sandbox";
import { type Config, ConfigError, readConfig, systemDirectory } from "../config/config.ts";
import { unknownVariables } from "../config/unknown-variables.ts";
import { createLog } from "../log/log.ts";
import { createRedactor } from "../log/redactor.ts";
import { openEngine } from "../start/open-engine.ts";
import { openModels } from "../start/open-models.ts";
import { openStore } from "../start/open-store.ts";

/**
 * What this machine offers and lacks for an installation: settings, database, models, sandbox. Starts what it has to look at
 * and ends it again; works whether the service runs or not. Never throws.
 */
export async function doctor(
  flags: Readonly<Record<string, string | undefined>> = {},
): Promise<Capability[]> {
  try {
    const config = readConfig(process.env, flags);
    return [settings(config), await database(config), await models(config), ...(await sandbox(config))];
  } catch (error) {
    const faults = error instanceof ConfigError ? error.faults : [(error as Error).message];
    return faults.map((detail) => ({ name: "settings", state: "no", detail }));
  }
}

function settings({ dataDir }: Config): Capability {
  const name = "settings";
  const strays = unknownVariables(process.env);
  if (strays.length === 0) return { name, state: "yes", detail: `All are valid; data lie in ${dataDir}.` };
  const detail = `No setting has the name ${strays.join(", ")}; \`berth serve --help\` lists them. Data lie in ${dataDir}.`;
  return { name, state: "degraded", detail };
}

const quiet = createLog("silent", createRedactor());

async function database(config: Config): Promise<Capability> {
  const name = "database";
  try {
    const store = await openStore(config, quiet);
    await store.stop();
    const kind =
      config.databaseUrl === null ? "The embedded PostgreSQL" : "The PostgreSQL of BERTH_DATABASE_URL";
    return {
      name,
      state: "yes",
      detail: `${kind} starts, is safe against power loss, and has the present schema.`,
    };
  } catch (error) {
    return { name, state: "no", detail: (error as Error).message };
  }
}

async function models(config: Config): Promise<Capability> {
  const name = "models";
  try {
    const providers = [...new Set((await openModels(config, quiet)).list().map(({ provider }) => provider))];
    if (providers.some((provider) => provider !== "rehearsal")) {
      return { name, state: "yes", detail: `Providers: ${providers.join(", ")}.` };
    }
    const advice = "set ANTHROPIC_API_KEY or OPENAI_API_KEY, start an Ollama, or write BERTH_MODELS_FILE";
    return {
      name,
      state: "degraded",
      detail: `Only the rehearsal model is there; for a real one ${advice}.`,
    };
  } catch (error) {
    return { name, state: "no", detail: (error as Error).message };
  }
}

async function sandbox(config: Config): Promise<Capability[]> {
  try {
    const engine = await openEngine(config, "doctor", quiet);
    try {
      const probed = (await engine.probe()).filter(({ name }) => !isOfTheHost(name, config));
      const tree =
        config.sandbox === "bubblewrap" ? [await describeTree(systemDirectory(config), config.rootfs)] : [];
      return [...probed, ...tree, ...(await isolation(engine, config))];
    } finally {
      await engine.close();
    }
  } catch (error) {
    return [{ name: "sandbox", state: "no", detail: (error as Error).message }];
  }
}

/** Programs of the host that no new session sees, as its system has its own. */
function isOfTheHost(name: string, config: Config): boolean {
  return systemOf(config) !== null && ["git", "gh", "bash"].includes(name);
}

/** Below those of sessions. */
const PROBE_UIDS = [299_998, 299_999] as const;

/** Tries from inside what a sandbox has to hold, in one that is opened for it. */
async function isolation(engine: SandboxEngine, config: Config): Promise<Capability[]> {
  try {
    const directory = join(config.dataDir, "doctor");
    const tree = systemOf(config);
    const spec = tree === null ? {} : { system: { tree } };
    return isolationCapabilities(
      engine.name,
      await probeEngine(engine, { directory, uids: PROBE_UIDS, spec }),
    );
  } catch (error) {
    const detail = `No sandbox could be opened to try what it holds: ${(error as Error).message}`;
    return [{ name: "isolation", state: "no", detail }];
  }
}

/** What sessions have as their system at this time, when it is not the engine's own. */
function systemOf(config: Config): string | null {
  const own = config.sandbox === "bubblewrap" && config.rootfs === "debian";
  return own ? madeTree(systemDirectory(config)) : null;
}

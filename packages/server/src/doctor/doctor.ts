import { join } from "node:path";
import { orAborted } from "@berth/concurrency";
import {
  builtRootFilesystem,
  type Capability,
  describeRootFilesystem,
  type SandboxEngine,
} from "@berth/sandbox";
import { isolationCapabilities, probeEngine } from "@berth/sandbox/probes";
import { usefulApiProcesses } from "../config/api-processes.ts";
import { readCeilings, sharedLimits } from "../config/ceilings.ts";
import { type Config, systemDirectory } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { readConfig } from "../config/read-config.ts";
import { plainHttpWarning, tlsFilesOf } from "../config/tls-files.ts";
import { readTlsPair } from "../config/tls-pair.ts";
import { unknownVariables } from "../config/unknown-variables.ts";
import type { DatabaseAddress } from "../db/connection.ts";
import { openDatabase } from "../db/pool.ts";
import type { Queryable } from "../db/statement.ts";
import { createLog } from "../log/log.ts";
import { createRedactor } from "../log/redactor.ts";
import { openEngine } from "../start/open-engine.ts";
import { openModels } from "../start/open-models.ts";
import { openStore } from "../start/open-store.ts";
import { describeDifferences, ownHost } from "../start/own-host.ts";
import { untilAskedToEnd } from "../start/until-asked-to-end.ts";
import { describeDataDirectory } from "./describe-data-directory.ts";
import { describeDatabaseUser } from "./describe-database-user.ts";
import { environmentsAbove } from "./stored-resources-store.ts";

/**
 * Reports what this machine provides and lacks for an installation: settings, database, models, sandbox. Starts what it has to
 * examine and stops it again, whether or not the service runs. Never throws.
 */
export async function doctor(
  flags: Readonly<Record<string, string | undefined>> = {},
): Promise<Capability[]> {
  try {
    const config = readConfig(process.env, flags);
    return [
      settings(config),
      network(config),
      describeDataDirectory(config),
      apiProcesses(config),
      ceilings(config),
      ...(await database(config)),
      describeDatabaseUser(config),
      await models(config),
      ...(await sandbox(config)),
    ].filter((capability) => capability !== null);
  } catch (error) {
    const faults = error instanceof ConfigError ? error.faults : [(error as Error).message];
    return faults.map((detail) => ({ name: "settings", state: "no", detail }));
  }
}

function settings({ dataDir }: Config): Capability {
  const name = "settings";
  const unknown = unknownVariables(process.env);
  if (unknown.length === 0)
    return { name, state: "yes", detail: `All settings are valid. The data directory is ${dataDir}.` };
  const detail = `${unknown.join(" ")} \`berth serve --help\` lists all settings. The data directory is ${dataDir}.`;
  return { name, state: "degraded", detail };
}

/** How clients reach the service. */
function network(config: Config): Capability {
  const name = "network";
  try {
    const files = tlsFilesOf(config);
    const warning = plainHttpWarning(config);
    if (warning !== null) return { name, state: "degraded", detail: warning };
    if (files === null) {
      const detail = "The service listens on this machine alone, or has a proxy in front.";
      return { name, state: "yes", detail };
    }
    const { expires } = readTlsPair(files);
    const days = Math.floor((expires.getTime() - Date.now()) / 86_400_000);
    const detail = `The service listens for https, and the certificate is valid for ${days} more days.`;
    return { name, state: days < 14 ? "degraded" : "yes", detail };
  } catch (error) {
    return { name, state: "no", detail: (error as Error).message };
  }
}

/** Whether the API may use what this machine has. */
function apiProcesses({ apiProcesses: count }: Config): Capability {
  const name = "api_processes";
  const useful = usefulApiProcesses();
  const detail = count === 1 ? "One process serves the API." : `${count} processes serve the API.`;
  const set = `BERTH_API_PROCESSES=${useful}`;
  if (count > useful + 1)
    return { name, state: "degraded", detail: `${detail} This machine can use ${useful}: set ${set}.` };
  if (count === useful) return { name, state: "yes", detail };
  const advice = `If that is busy all the time, ${set} lets it use more of this machine's processors.`;
  return { name, state: "yes", detail: `${detail} ${advice}` };
}

/** What an environment can ask for. */
function ceilings(config: Config): Capability {
  const name = "ceilings";
  try {
    const { cpus, memory_mb, pids, disk_mb } = readCeilings(config);
    const detail = `An environment can ask for at most ${cpus} processors, ${memory_mb} MiB of memory, ${pids} processes and ${disk_mb} MiB of disk.`;
    const together = sharedLimits();
    if (memory_mb * MEBIBYTE <= together.memoryBytes && pids <= together.pids)
      return { name, state: "yes", detail };
    const advice =
      "That is more than all sessions together can have. Lower BERTH_MAX_MEMORY_MB or BERTH_MAX_PIDS.";
    return { name, state: "degraded", detail: `${detail} ${advice}` };
  } catch (error) {
    return { name, state: "no", detail: `The machine could not be examined: ${(error as Error).message}` };
  }
}

const MEBIBYTE = 1024 * 1024;
const SILENT_LOG = createLog("silent", createRedactor());

async function database(config: Config): Promise<Capability[]> {
  const name = "database";
  try {
    const inside = await untilAskedToEnd(async (signal) => {
      const store = await openStore(config, SILENT_LOG, signal);
      return await orAborted(inDatabase(config, store.address), signal).finally(() => store.stop());
    });
    const kind =
      config.databaseUrl === null ? "The embedded PostgreSQL" : "The PostgreSQL of BERTH_DATABASE_URL";
    return [
      { name, state: "yes", detail: `${kind} starts, is durable, and has the current schema.` },
      ...inside,
    ];
  } catch (error) {
    return [{ name, state: "no", detail: (error as Error).message }];
  }
}

async function inDatabase(config: Config, address: DatabaseAddress): Promise<Capability[]> {
  const db = openDatabase({ ...address, log: SILENT_LOG, max: 1, readers: 1 });
  try {
    return [...(await hosts(config, db.read)), ...(await storedResources(config, db.read))];
  } finally {
    await db.close();
  }
}

/** Compares the settings with those of the other services of the database. Nothing when the models are not known. */
async function hosts(config: Config, db: Queryable): Promise<Capability[]> {
  const name = "hosts";
  const registry = await openModels(config, SILENT_LOG).catch(() => null);
  if (registry === null) return [];
  const differences = await describeDifferences(db, ownHost(config, registry.list()));
  if (differences.length > 0) return [{ name, state: "degraded", detail: differences.join(" ") }];
  const detail = "No other service of the database has other settings that decide what sessions get.";
  return [{ name, state: "yes", detail }];
}

/** Whether stored environments ask for more than they can get now. Nothing when none does. */
async function storedResources(config: Config, db: Queryable): Promise<Capability[]> {
  const above = await environmentsAbove(db, readCeilings(config));
  if (above === 0) return [];
  const detail = `Environments that ask for more than the ceilings: ${above}. Their sessions have the ceilings; lowered_limits of session.container_started says which.`;
  return [{ name: "ceilings_stored", state: "degraded", detail }];
}

async function models(config: Config): Promise<Capability> {
  const name = "models";
  try {
    const providers = [
      ...new Set((await openModels(config, SILENT_LOG)).list().map(({ provider }) => provider)),
    ];
    if (providers.some((provider) => provider !== "rehearsal")) {
      return { name, state: "yes", detail: `Providers: ${providers.join(", ")}.` };
    }
    const advice = "set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or set BERTH_MODELS_FILE";
    return {
      name,
      state: "degraded",
      detail: `Only the rehearsal model is available. For a real model, ${advice}.`,
    };
  } catch (error) {
    return { name, state: "no", detail: (error as Error).message };
  }
}

async function sandbox(config: Config): Promise<Capability[]> {
  try {
    const engine = await openEngine(config, "doctor", SILENT_LOG);
    try {
      // Of an earlier one that was killed.
      await engine.sweep();
      const probed = (await engine.probe()).filter(({ name }) => !isHostProgram(name, config));
      const rootFilesystem =
        config.sandbox === "bubblewrap"
          ? [await describeRootFilesystem(systemDirectory(config), config.rootfs)]
          : [];
      return [...probed, ...rootFilesystem, ...(await isolation(engine, config))];
    } finally {
      await engine.close();
    }
  } catch (error) {
    return [{ name: "sandbox", state: "no", detail: (error as Error).message }];
  }
}

/** Programs of the host that new sessions do not use, because their root filesystem has its own. */
function isHostProgram(name: string, config: Config): boolean {
  return rootFilesystemOf(config) !== null && ["git", "gh", "bash"].includes(name);
}

/** Below the uids of sessions. */
const PROBE_UIDS = [299_998, 299_999] as const;

/** Runs the escape probes inside a sandbox opened for this purpose. */
async function isolation(engine: SandboxEngine, config: Config): Promise<Capability[]> {
  try {
    const directory = join(config.dataDir, "doctor");
    const rootFilesystem = rootFilesystemOf(config);
    const spec = rootFilesystem === null ? {} : { system: { rootFilesystem } };
    return isolationCapabilities(
      engine.name,
      await probeEngine(engine, { directory, uids: PROBE_UIDS, spec }),
    );
  } catch (error) {
    const detail = `No sandbox could be opened to test its isolation: ${(error as Error).message}`;
    return [{ name: "isolation", state: "no", detail }];
  }
}

/** The root filesystem that sessions have now; null where it is the engine's own. */
function rootFilesystemOf(config: Config): string | null {
  const own = config.sandbox === "bubblewrap" && config.rootfs === "debian";
  return own ? builtRootFilesystem(systemDirectory(config)) : null;
}

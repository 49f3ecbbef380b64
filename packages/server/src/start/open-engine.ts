import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createEgress, openCertificateAuthority } from "@berth/egress";
import {
  type BubblewrapOptions,
  createBubblewrapEngine,
  createDockerEngine,
  type SandboxEngine,
  trustedBundle,
  WORKSPACE_PROGRAMS,
} from "@berth/sandbox";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";

const MEBIBYTE = 1024 * 1024;

/** Opens the sandbox engine and the egress that the settings describe. Throws one sentence for the operator. */
export async function openEngine(config: Config, instance: string, log: Logger): Promise<SandboxEngine> {
  const [authority, own] = await Promise.all([
    openCertificateAuthority(join(config.dataDir, "egress-authority"), "Berth egress"),
    certificates(config),
  ]);
  const egress = await createEgress({
    allowPrivate: config.egressAllowPrivate,
    // A container brings its own network namespace.
    ...(config.sandbox === "docker" ? { poolSize: 0 } : {}),
    mitm: { authority, trusted: [await trustedBundle(own)], errorPrefix: "Berth: " },
    deniedMessage: (destination) => `The networking of this session does not allow ${destination}.`,
    log: (line) => log.info(line),
  });
  const options = {
    instance,
    stateDir: join(config.dataDir, "sandbox"),
    egress,
    ...(config.sessionDiskMb === 0 ? {} : { defaultDiskBytes: config.sessionDiskMb * MEBIBYTE }),
    certificates: [...own, authority.certificate],
    programs: WORKSPACE_PROGRAMS,
    log: (line: object) => log.info(line),
  };
  const engine = await openNamed(config, options).catch(async (error: unknown) => {
    await egress.close();
    throw error;
  });
  return {
    name: engine.name,
    probe: () => engine.probe(),
    open: (spec) => engine.open(spec),
    takeChanges: (disk, to, signal) => engine.takeChanges(disk, to, signal),
    sweep: (mayLive) => engine.sweep(mayLive),
    close: async () => {
      await engine.close();
      await egress.close();
    },
  };
}

function openNamed(config: Config, options: BubblewrapOptions): Promise<SandboxEngine> {
  if (config.sandbox === "bubblewrap") return createBubblewrapEngine(options);
  const { dockerSocket: socket, dockerImage: defaultImage } = config;
  return createDockerEngine({ ...options, socket, defaultImage });
}

/** The PEM certificates of the certificate authorities that the settings name. */
export function certificates(config: Config): Promise<string[]> {
  const hosts = [...config.hostedProviders, ...config.gitCaFiles];
  const files = new Set(hosts.flatMap(({ ca_file: file }) => file ?? []));
  return Promise.all([...files].map((file) => readFile(file, "utf8")));
}

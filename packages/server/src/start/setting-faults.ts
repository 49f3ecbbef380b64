import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createLog, createRedactor } from "@berth/store/log";
import { blobDirectory } from "@berth/store/names";
import { readKey } from "@berth/store/secrets";
import { checkDataDirectory } from "../checks/check-data-directory.ts";
import type { Config } from "../config/config.ts";
import { listenAddress } from "../config/listen-address.ts";
import { mailOf } from "../config/mail.ts";
import { oidcOf } from "../config/oidc.ts";
import { readNamedFile } from "../config/read-named-file.ts";
import { hasNoApi, requirePooler, requireShared } from "../config/roles.ts";
import { tlsFilesOf } from "../config/tls-files.ts";
import { readTlsPair } from "../config/tls-pair.ts";
import { readCaCertificates } from "./ca-certificates.ts";
import { requireDatabaseProgram } from "./database-program.ts";
import { tryToListen } from "./listen-failure.ts";
import { readPodPatch } from "./read-pod-patch.ts";
import { runtimeSettings } from "./runtime-settings.ts";

/** Checks files, directories and programs of settings, without changes. Returns a sentence for each fault. */
export async function settingFaults(config: Config): Promise<string[]> {
  const found = await Promise.all(CHECKS.map((check) => faultOf(() => check(config))));
  return found.flatMap((fault) => fault ?? []);
}

/** Maximum upload size in bytes: S3 accepts 10,000 parts, and contents have parts of 8 MiB. */
const MAX_S3_UPLOAD = 64 * 1024 ** 3;

type Check = (config: Config) => unknown;

const CHECKS: readonly Check[] = [
  requireShared,
  requirePooler,
  dataDirectory,
  secretKey,
  contents,
  tlsFiles,
  identityProvider,
  mailOf,
  address,
  metricsAddress,
  models,
  runtimeSettings,
  readCaCertificates,
  requireDatabaseProgram,
  engine,
];

async function faultOf(check: () => unknown): Promise<string | null> {
  try {
    await check();
    return null;
  } catch (error) {
    return (error as Error).message.replaceAll(/\n(?:- )?/g, " ");
  }
}

function dataDirectory({ dataDir }: Config): void {
  requireDirectory(dataDir, "for all state");
  if (existsSync(dataDir)) checkDataDirectory(dataDir);
}

/** Requires that the path, or its nearest existing ancestor, is a directory. */
function requireDirectory(path: string, purpose: string): void {
  let nearest = path;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  if (!statSync(nearest).isDirectory())
    throw new Error(`${nearest} is not a directory, and ${path} is needed ${purpose}.`);
}

/** Checks the secret key. A missing one in the data directory is created later. */
function secretKey({ dataDir, secretKeyFile }: Config): void {
  const own = join(dataDir, "secret.key");
  if (secretKeyFile !== null && !existsSync(secretKeyFile))
    throw new Error(`The secret key ${secretKeyFile} cannot be read.`);
  if (secretKeyFile !== null) readKey(secretKeyFile);
  else if (existsSync(own)) readKey(own);
}

function contents(config: Config): void {
  const directory = blobDirectory(config);
  if (directory !== null) requireDirectory(directory, "for file contents");
  else if (config.uploadLimit > MAX_S3_UPLOAD)
    throw new Error("BERTH_UPLOAD_LIMIT must be at most 64 GiB while file contents are in S3.");
}

function tlsFiles(config: Config): void {
  const files = tlsFilesOf(config);
  if (files !== null) readTlsPair(files);
}

/** Checks the secret of the identity provider. The provider itself may be unavailable at the start. */
function identityProvider(config: Config): void {
  const file = oidcOf(config)?.clientSecretFile ?? null;
  if (file === null) return;
  readNamedFile(file, "The identity provider's client secret");
}

async function address(config: Config): Promise<void> {
  await tryToListen(hasNoApi(config) ? listenAddress(config.runnerAddress) : config);
  if (config.role === "egress") await tryToListen(listenAddress(config.egressAddress));
}

async function metricsAddress({ metricsAddress, host, port, role }: Config): Promise<void> {
  if (metricsAddress === null || hasNoApi({ role })) return;
  const own = listenAddress(metricsAddress);
  if (port !== 0 && own.host === host && own.port === port)
    throw new Error(
      `BERTH_METRICS_ADDRESS must not be ${metricsAddress}, the address of the service itself.`,
    );
  await tryToListen(own);
}

async function models(config: Config): Promise<void> {
  if (config.modelsFile === null) return;
  const { openModels } = await import("./open-models.ts");
  await openModels(config, createLog("silent", createRedactor()));
}

function engine(config: Config): void {
  const { sandbox, dockerSocket, role } = config;
  if (role === "api" || role === "egress") return;
  if (sandbox === "kubernetes") podFiles(config);
  if (sandbox !== "docker" || dockerSocket === null) return;
  if (!statSync(dockerSocket, { throwIfNoEntry: false })?.isSocket())
    throw new Error(`There is no socket of a container engine at ${dockerSocket}.`);
}

/** Checks the files of the kubernetes engine. The cluster itself may be unavailable at the start. */
function podFiles({ kubeconfig, kubernetesPodPatch }: Config): void {
  if (kubeconfig !== null) readNamedFile(kubeconfig, "The kubeconfig");
  if (kubernetesPodPatch !== null) readPodPatch(kubernetesPodPatch);
}

import {
  type AdministeredSettings,
  type Administration,
  type Administrator,
  administration,
} from "@berth/api/administration";
import {
  createServiceAccountToken,
  createTokenFor,
  type ServiceAccountTokenFor,
  type TokenFor,
  userCodeKey,
} from "@berth/api/features";
import { readSecretKey } from "@berth/store/secrets";
import type { Config } from "../config/config.ts";
import { defaultLimits } from "../config/default-limits.ts";
import { readConfig } from "../config/read-config.ts";
import { installationId } from "../start/installation-id.ts";
import { asOperator, type InstallationFlags } from "./as-operator.ts";
import { auditedCommand } from "./audited-command.ts";
import { tokenSubject } from "./token-subject-store.ts";

/**
 * Returns the operator's commands on the installation's machine, which work whether or not the service runs.
 */
export function administrationOnMachine(flags: InstallationFlags): Administration & { dataDir: string } {
  const by: Administrator = {
    read: (work) => asOperator(flags, (db, config) => work(db, settingsOf(config))),
    change: (command, work, about) =>
      auditedCommand(
        flags,
        command,
        (db, config) => work(db, settingsOf(config)),
        (_tx, result) => about(result),
      ),
  };
  return { ...administration(by, null), dataDir: readConfig(process.env, flags).dataDir };
}

function settingsOf(config: Config): AdministeredSettings {
  const { secretKeyFile: file, dataDir } = config;
  return {
    ...config,
    limits: defaultLimits(config),
    hostId: installationId(dataDir),
    userCodeKey: () => userCodeKey(readSecretKey({ file, dataDir })),
  };
}

/**
 * Creates a token, and its user, organization or service account where missing. Returns the token's secret.
 */
export async function createTokenOnMachine(
  options: Omit<TokenFor, "db"> | Omit<ServiceAccountTokenFor, "db">,
  flags: InstallationFlags = {},
): Promise<string> {
  return await auditedCommand(
    flags,
    "token create",
    (db) =>
      "serviceAccount" in options
        ? createServiceAccountToken({ ...options, db })
        : createTokenFor({ ...options, db }),
    (tx, secret) => tokenSubject(tx, secret),
  );
}

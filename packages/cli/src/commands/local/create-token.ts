import { createTokenOnMachine } from "@berth/server";
import { ConfigError } from "@berth/server/settings";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { scopeOf } from "./scope-of.ts";

interface CreateOptions extends OutputOptions {
  user?: string;
  serviceAccount?: string;
  org?: string;
  role?: "member" | "admin";
  kind?: "pat" | "sat";
  scopes?: string[];
  expiresIn?: number;
  dataDir?: string;
  config?: string;
}

/** Prints only the token, so that a shell can capture it. */
export async function createToken(options: CreateOptions): Promise<undefined> {
  const { scopes, expiresIn, dataDir, config } = options;
  const terms = { org: options.org, scopes: scopes?.map(scopeOf), expiresInSeconds: expiresIn };
  const token = await createTokenOnMachine(
    { ...bearerOf(options), ...terms },
    { "data-dir": dataDir, config },
  ).catch((error: Error) => {
    throw new UsageError(error.message, error instanceof ConfigError ? EXIT_CODES.usage : EXIT_CODES.failed);
  });
  await printResult({ token }, options, () => [token]);
}

/** Returns the user or the service account of the token. */
function bearerOf({ user, serviceAccount, role, kind }: CreateOptions) {
  if (serviceAccount === undefined) {
    if (user === undefined) throw new UsageError("Set --user or --service-account.");
    if (!/^[^\s@]+@[^\s@]+$/.test(user)) throw new UsageError("--user must be an email address.");
    return { email: user, role, kind };
  }
  if (user !== undefined) throw new UsageError("Set either --user or --service-account, not both.");
  if (role !== undefined || kind === "pat")
    throw new UsageError("--role and --kind pat cannot be used with --service-account.");
  return { serviceAccount };
}

import { bootstrapToken } from "@berth/server";
import { ConfigError } from "@berth/server/settings";
import { EXIT_CODES } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { scopeOf } from "../admin/scope-of.ts";

interface BootstrapOptions extends OutputOptions {
  user?: string;
  operator?: string;
  org?: string;
  role?: "member" | "admin";
  scopes?: string[];
  expiresIn?: number;
  dataDir?: string;
  config?: string;
}

/** Prints only the token, so that a shell can capture it. */
export async function bootstrap(options: BootstrapOptions): Promise<undefined> {
  const { dataDir, config } = options;
  const token = await bootstrapToken(termsOf(options), { "data-dir": dataDir, config }).catch(
    (error: Error) => {
      throw new UsageError(
        error.message,
        error instanceof ConfigError ? EXIT_CODES.usage : EXIT_CODES.failed,
      );
    },
  );
  await printResult({ token }, options, () => [token]);
}

function termsOf({ user, operator, org, role, scopes, expiresIn: expiresInSeconds }: BootstrapOptions) {
  if (operator !== undefined) return { operator, expiresInSeconds };
  if (user === undefined)
    throw new UsageError("Set --user or --operator: whether the token is of a user or for 'berth admin'.");
  if (!/^[^\s@]+@[^\s@]+$/.test(user)) throw new UsageError("--user must be an email address.");
  return { email: user, org, role, scopes: scopes?.map(scopeOf), expiresInSeconds };
}

import { createOperatorToken, scopes as knownScopes } from "@berth/server";
import { exitCodes } from "../../exit-codes.ts";
import { UsageError } from "../../failure.ts";
import { printJson, printLine } from "../../print.ts";

type Scope = (typeof knownScopes)[number];

interface CreateOptions {
  user: string;
  org?: string;
  role?: "member" | "admin";
  kind?: "pat" | "sat";
  scopes?: string[];
  expiresIn?: number;
  dataDir?: string;
  json?: boolean;
}

/** Prints the token alone, so that a shell can take it. */
export async function createToken({
  user,
  scopes,
  expiresIn,
  dataDir,
  json,
  ...given
}: CreateOptions): Promise<undefined> {
  if (!/^[^\s@]+@[^\s@]+$/.test(user)) throw new UsageError("--user must be an email address.");
  const { org, role, kind } = given;
  const token = await createOperatorToken(
    { email: user, org, role, kind, scopes: scopes?.map(scopeOf), expiresInSeconds: expiresIn },
    { "data-dir": dataDir },
  ).catch((error: Error) => {
    throw new UsageError(error.message, exitCodes.failed);
  });
  if (json) printJson({ token });
  else printLine(token);
}

function scopeOf(name: string): Scope {
  const known = knownScopes.find((scope) => scope === name);
  if (known === undefined)
    throw new UsageError(`'${name}' is no scope. The scopes: ${knownScopes.join(", ")}.`);
  return known;
}

import { createOperatorToken, SCOPES } from "@berth/server";
import { exitCodes } from "../../shared/exit-codes.ts";
import { UsageError } from "../../shared/failure.ts";
import { printJson, printLine } from "../../terminal/print.ts";

type Scope = (typeof SCOPES)[number];

interface CreateOptions {
  user?: string;
  serviceAccount?: string;
  org?: string;
  role?: "member" | "admin";
  kind?: "pat" | "sat";
  scopes?: string[];
  expiresIn?: number;
  dataDir?: string;
  json?: boolean;
}

/** Prints the token alone, so that a shell can take it. */
export async function createToken(options: CreateOptions): Promise<undefined> {
  const { scopes, expiresIn, dataDir, json } = options;
  const terms = { org: options.org, scopes: scopes?.map(scopeOf), expiresInSeconds: expiresIn };
  const token = await createOperatorToken({ ...bearerOf(options), ...terms }, { "data-dir": dataDir }).catch(
    (error: Error) => {
      throw new UsageError(error.message, exitCodes.failed);
    },
  );
  if (json) printJson({ token });
  else printLine(token);
}

/** Whom the token stands for. */
function bearerOf({ user, serviceAccount, role, kind }: CreateOptions) {
  if (serviceAccount === undefined) {
    if (user === undefined) throw new UsageError("Give --user or --service-account.");
    if (!/^[^\s@]+@[^\s@]+$/.test(user)) throw new UsageError("--user must be an email address.");
    return { email: user, role, kind };
  }
  if (user !== undefined) throw new UsageError("Give --user or --service-account, not both.");
  if (role !== undefined || kind === "pat")
    throw new UsageError("A service account has no role, and its token is a sat.");
  return { serviceAccount };
}

function scopeOf(name: string): Scope {
  const known = SCOPES.find((scope) => scope === name);
  if (known === undefined) throw new UsageError(`'${name}' is no scope. The scopes: ${SCOPES.join(", ")}.`);
  return known;
}

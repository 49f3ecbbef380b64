import { type Config, readConfig } from "./config.ts";
import { openDatabase } from "./db/pool.ts";
import { createTokenFor, type TokenFor } from "./features/tokens/create-token-for.ts";
import { createLog, createRedactor } from "./log.ts";
import { openStore } from "./start/open-store.ts";

/**
 * Makes a token as the operator, with what is missing for it, and answers its secret. Works while the service runs, and
 * starts the database for as long as it takes when it does not.
 *
 * @param flags the settings that name the installation, as `data-dir`.
 */
export async function createOperatorToken(
  options: Omit<TokenFor, "db">,
  flags: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const config: Config = readConfig(process.env, flags);
  const log = createLog("silent", createRedactor());
  const store = await openStore(config, log);
  const db = openDatabase({ ...store.address, log, max: 1, readers: 1 });
  try {
    return await createTokenFor({ ...options, db });
  } finally {
    await db.close();
    await store.stop();
  }
}

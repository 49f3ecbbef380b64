import { chmodSync } from "node:fs";
import { parseArgs } from "node:util";
import { Cluster } from "./cluster.ts";
import { startStores } from "./stores.ts";

/**
 * A service as `berth serve` starts it, of three machines for the API and three that run sessions, on a PostgreSQL and an S3 server of
 * their own, which lie in its data directory. Says where it listens, and stops by a signal, as that does.
 */
const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });
const directory = values["data-dir"] ?? "";
const given = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith("BERTH_") && value !== undefined ? [[name, value]] : [],
  ),
);
// PostgreSQL has a user of its own.
chmodSync(directory, 0o711);
const { stores, stop: stopStores } = await startStores(directory);

let cluster: Cluster | null = null;
const stop = async (code: number) => {
  await cluster?.stop();
  await stopStores();
  process.exit(code);
};
try {
  cluster = await Cluster.start({
    directory,
    settings: { ...stores, ...given },
    log: (text) => process.stderr.write(text),
  });
} catch (error) {
  const code = /^serve ended with (\d+):/.exec((error as Error).message)?.[1];
  if (code === undefined) console.error(error);
  await stop(Number(code ?? 1));
}
// In place of the test harness's, which exits at once.
process.removeAllListeners("SIGTERM").once("SIGTERM", () => stop(0));
console.log(`berth: listening on ${cluster?.url}`);

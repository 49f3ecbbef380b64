import { chmodSync } from "node:fs";
import { parseArgs } from "node:util";
import { Cluster } from "./cluster.ts";
import { startStores } from "./stores.ts";

/**
 * Runs a service like `berth serve`, but as a cluster of three API machines and three runners. Its PostgreSQL
 * and S3 server are in the data directory. Prints its URL, and stops by a signal, like `berth serve`.
 */
const { values } = parseArgs({ options: { "data-dir": { type: "string" } } });
const directory = values["data-dir"] ?? "";
const given = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    name.startsWith("BERTH_") && value !== undefined ? [[name, value]] : [],
  ),
);
// PostgreSQL runs as another user.
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
// Replaces the handler of the test harness, which exits immediately.
process.removeAllListeners("SIGTERM").once("SIGTERM", () => stop(0));
console.log(`berth: listening on ${cluster?.url}`);

import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../acceptance/harness/free-port.ts";
import { asServer, ownedDirectory, type PostgresServer } from "./postgres-server.ts";
import { stopper } from "./stopper.ts";

const PROGRAM = "/usr/sbin/pgbouncer";

/** Starts a PgBouncer in front of the databases of a server. */
export async function startPgBouncer(
  server: PostgresServer,
  mode: "session" | "transaction",
): Promise<PostgresServer> {
  const directory = ownedDirectory("berth-pgbouncer-");
  const port = await freePort();
  const file = join(directory, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=127.0.0.1 port=${server.port} user=berth`,
    "[pgbouncer]",
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    `auth_type = any\npool_mode = ${mode}\ndefault_pool_size = 50`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o644 });
  const child = spawn(...asServer(PROGRAM, [file]), { stdio: ["ignore", "ignore", "pipe"] });
  const stop = stopper(child, "SIGINT");
  for await (const line of child.stderr.setEncoding("utf8")) if (/process up/.test(line)) break;
  child.stderr.resume();
  return {
    port,
    url: (database) => server.url(database).replace(`:${server.port}/`, `:${port}/`),
    async stop() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

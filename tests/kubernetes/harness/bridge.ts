import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";

const API_SERVER_PORT = 4443;

/**
 * Forwards connections from a port of this process's network namespace to the API server in the cluster's.
 *
 * @returns the port, on loopback.
 */
export async function openBridge(namespace: string): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as const;
  const child = spawn("nsenter", [`--net=${namespace}`, process.execPath, import.meta.filename], {
    stdio: [...stdio],
  });
  // The child listens in the namespace where the socket was created, and connects in its own.
  child.send("server", server, {}, () => server.close());
  await once(child, "message");
  return port;
}

if (process.argv[1] === import.meta.filename) {
  process.once("message", (_, server) => {
    (server as Server).on("connection", (socket) => {
      const upstream = connect(API_SERVER_PORT, "127.0.0.1");
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const)
        from
          .setNoDelay(true)
          .on("error", () => to.destroy())
          .on("close", () => to.destroy())
          .pipe(to);
    });
    process.send?.("ready");
  });
  process.once("disconnect", () => process.exit(0));
}

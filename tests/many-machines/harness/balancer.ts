import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Balancer {
  url: string;
  close(): void;
}

/**
 * Starts a plain TCP balancer on loopback: each connection goes to the next target that accepts it. It does
 * not interpret the data, and ends both sides of a connection together.
 *
 * @param targets returns URLs, for each connection; a restarted target may have another port.
 */
export async function startBalancer(targets: () => readonly string[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, async (client) => {
    keep(open, client);
    const urls = targets();
    turn += 1;
    const first = turn % Math.max(urls.length, 1);
    const target = await firstThatAccepts([...urls.slice(first), ...urls.slice(0, first)]);
    if (target === null || client.destroyed) {
      client.destroy();
      target?.destroy();
      return;
    }
    keep(open, target);
    join(client, target);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function firstThatAccepts(urls: readonly string[]): Promise<Socket | null> {
  for (const url of urls) {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
    const accepted = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    if (accepted) return socket;
    socket.destroy();
  }
  return null;
}

/** Connects two sockets. An abnormal end of one side is an abnormal end for the other. */
function join(client: Socket, target: Socket): void {
  for (const [from, to] of [
    [client, target],
    [target, client],
  ] as const) {
    from.pipe(to);
    from.once("close", (failed) => (failed || !from.readableEnded ? to.resetAndDestroy() : to.destroySoon()));
  }
}

function keep(open: Set<Socket>, socket: Socket): void {
  open.add(socket);
  socket.on("error", () => undefined);
  socket.once("close", () => open.delete(socket));
}

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns a free loopback port for a server that may restart. It is below the kernel's ephemeral range, so an
 * outgoing connection cannot take it while the server is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    try {
      const port = randomInt(10_000, 30_000);
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
      server.close();
      await once(server, "close");
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
}

import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port of loopback for a server that is told where to listen, now or again. None of those that the kernel gives to connections:
 * one of them would be taken again, now and then, while nobody listens.
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

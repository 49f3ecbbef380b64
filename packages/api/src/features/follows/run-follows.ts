import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Follows } from "./follows.ts";

/** Milliseconds between two searches for follows that are due, and for which a stopping service waits for looks. */
const SEARCH_MS = 2_000;
const CLOSE_MS = 3_000;

/** Follows the pull requests of sessions while the service listens. */
export function runFollows(
  fastify: FastifyInstance,
  follows: Pick<Follows, "look">,
  { log, lookMs }: { log: Pick<Logger, "warn">; lookMs: number },
): void {
  const looks = new Set<Promise<void>>();
  let isClosing = false;
  const search = (): void => {
    const look = follows.look().catch((error) => {
      if (!isClosing) log.warn({ err: error }, "followed pull requests could not be read");
    });
    looks.add(look);
    look.finally(() => looks.delete(look));
  };
  let timer: NodeJS.Timeout | undefined;
  fastify.addHook("onListen", async () => {
    timer = setInterval(search, Math.min(SEARCH_MS, lookMs)).unref();
  });
  fastify.addHook("preClose", async () => {
    isClosing = true;
    clearInterval(timer);
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
    await Promise.race([Promise.all(looks), late]);
  });
}

import { once } from "node:events";
import { createServer } from "node:net";

export interface ListenAddress {
  host: string;
  /** 0: any free port. */
  port: number;
}

/** What the settings, and not the machine, are to blame for. */
const WRONG_ADDRESS = ["EACCES", "EADDRNOTAVAIL", "ENOTFOUND"];
/** Below this port, not every user may listen. */
const FIRST_FREE_PORT = 1024;

/** Whether the error of an attempt to listen is one of the settings. */
export function isWrongAddress({ code = "" }: NodeJS.ErrnoException): boolean {
  return WRONG_ADDRESS.includes(code);
}

/**
 * Tries whether the service could listen there, before anything is written. A port that another program has is no fault of the settings,
 * and one that every user may have is not taken for this.
 *
 * @throws one sentence if it is not an address of this machine, or the user may not listen on the port.
 */
export async function tryToListen({ host, port }: ListenAddress): Promise<void> {
  const server = createServer();
  try {
    await once(
      server.listen({ host, port: port < FIRST_FREE_PORT ? port : 0, exclusive: true }),
      "listening",
    );
  } catch (error) {
    if (isWrongAddress(error as NodeJS.ErrnoException))
      throw new Error(listenFailure(error as NodeJS.ErrnoException, { host, port }), { cause: error });
  } finally {
    server.close();
  }
}

/** What the operator is told of the error of an attempt to listen. */
export function listenFailure(
  { code, message }: NodeJS.ErrnoException,
  { host, port }: ListenAddress,
): string {
  const address = `port ${port} of ${host}`;
  if (code === "EADDRINUSE")
    return `Another program already listens on ${address}. Stop it, or choose another port.`;
  if (code === "EACCES") return `This user may not listen on ${address}. Choose a port of 1024 or above.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${host} is not an address of this machine.`;
  return `Berth cannot listen on ${address}: ${message}`;
}

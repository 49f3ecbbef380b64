import { once } from "node:events";
import { createServer } from "node:net";

export interface ListenAddress {
  host: string;
  /** Port; 0 means any free port. */
  port: number;
}

/** Error codes that are caused by the settings, not by the machine. */
const WRONG_ADDRESS = ["EACCES", "EADDRNOTAVAIL", "ENOTFOUND"];
/** Lowest port at which every user may listen. */
const FIRST_FREE_PORT = 1024;

/** Returns whether an error of listening is caused by the settings. */
export function isWrongAddress({ code = "" }: NodeJS.ErrnoException): boolean {
  return WRONG_ADDRESS.includes(code);
}

/**
 * Checks, before anything is written, whether the service could listen at an address. A port that another
 * program uses is not a fault of the settings; an unprivileged port is not tried.
 * @throws Error with one sentence if it is not an address of this machine, or the user may not listen on the
 * port.
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

/** Returns a sentence for the operator about an error of listening. */
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

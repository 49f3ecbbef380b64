import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { AddressGuard } from "../addresses/address-guard.ts";
import type { HostName } from "../names/host-name.ts";
import { addressesInHostsFile } from "../addresses/resolve.ts";
import { isLocalhost } from "./identify.ts";

/** Addresses of a name, IPv4 or IPv6 as text. Rejects, or answers none, when there are none. */
export type Resolve = (name: HostName) => Promise<readonly string[]>;

export type Dialled =
  | { kind: "connected"; socket: Socket }
  | { kind: "refused" | "unresolvable" | "unreachable" };

const connectMilliseconds = 10_000;
const maximumAttempts = 4;

/**
 * The machine's hosts file and resolver; names at and below `localhost` are loopback as RFC 6761 says, whatever the machine
 * thinks. The dot at the end says that the name is whole: without it the search domains of the machine would make another one of it.
 */
export const resolveBySystem: Resolve = async (name) => {
  if (isLocalhost(name)) return ["127.0.0.1", "::1"];
  const written = await addressesInHostsFile(name);
  if (written.length > 0) return written;
  const found = await lookup(`${name}.`, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

/**
 * Resolves once, drops every address that the guard refuses, and dials the addresses themselves: the name is not
 * resolved a second time, so an answer that changes in between (DNS rebinding) changes nothing.
 */
export async function dial(
  name: HostName,
  port: number,
  resolve: Resolve,
  guard: AddressGuard,
): Promise<Dialled> {
  const found = await resolve(name).catch(() => []);
  if (found.length === 0) return { kind: "unresolvable" };
  const permitted = found.filter((address) => guard(name, address, port));
  if (permitted.length === 0) return { kind: "refused" };
  for (const address of permitted.slice(0, maximumAttempts)) {
    const socket = await tryConnect(address, port);
    if (socket !== null) return { kind: "connected", socket };
  }
  return { kind: "unreachable" };
}

async function tryConnect(host: string, port: number): Promise<Socket | null> {
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(connectMilliseconds) });
    socket.on("error", () => socket.destroy());
    return socket;
  } catch {
    socket.destroy();
    return null;
  }
}

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { HostName } from "../names/host-name.ts";
import { connectThrough } from "../outgoing/connect-through.ts";
import type { Target } from "../outgoing/outgoing-proxies.ts";
import type { ConnectionPolicy, EgressContext } from "./connection-policy.ts";

export type DialResult =
  | { kind: "connected"; socket: Socket }
  | { kind: "blocked" | "unresolvable" | "unreachable" };

const CONNECT_MS = 10_000;
const MAX_ATTEMPTS = 4;

/**
 * Dials a host that the policy allows. Reports a destination that is blocked by the address guard or does not
 * resolve.
 */
export async function dial(
  name: HostName,
  port: number,
  policy: ConnectionPolicy,
  context: EgressContext,
): Promise<DialResult> {
  const result = await connectTo(name, port, context);
  if (result.kind === "blocked") policy.deny({ host: name, port, reason: "private_address" });
  else if (result.kind === "unresolvable") policy.deny({ host: name, port, reason: "unresolvable" });
  else if (result.kind === "unreachable") context.log(`egress: ${name}:${port} does not accept connections`);
  return result;
}

/**
 * Resolves the name once, drops every address that the guard blocks, and connects to the remaining addresses,
 * directly or through a proxy. The name is not resolved a second time, so DNS rebinding has no effect.
 */
async function connectTo(name: HostName, port: number, context: EgressContext): Promise<DialResult> {
  const { resolve, guard } = context;
  const found = await resolve(name).catch(() => []);
  if (found.length === 0) return { kind: "unresolvable" };
  const permitted = found.filter((address) => guard(name, address, port));
  if (permitted.length === 0) return { kind: "blocked" };
  for (const address of permitted.slice(0, MAX_ATTEMPTS)) {
    const socket = await tryConnect({ name, address, port }, context);
    if (socket !== null) return { kind: "connected", socket };
  }
  return { kind: "unreachable" };
}

async function tryConnect(target: Target, { proxies, log }: EgressContext): Promise<Socket | null> {
  const proxy = proxies.of(target);
  try {
    const socket = proxy === null ? await connectDirectly(target) : await connectThrough(proxy, target);
    socket.on("error", () => socket.destroy());
    return socket;
  } catch (error) {
    if (proxy !== null) log(`egress: ${(error as Error).message}`);
    return null;
  }
}

async function connectDirectly({ address: host, port }: Target): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(CONNECT_MS) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

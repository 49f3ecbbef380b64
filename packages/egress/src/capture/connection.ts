import type { Socket } from "node:net";
import { identify, isLoopback, type Place } from "../relay/identify.ts";
import { passOn } from "../relay/forward.ts";
import { proxyPort, serveProxy } from "../proxy/serve-proxy.ts";
import type { Gate, Surroundings } from "../relay/connection-policy.ts";
import type { SyntheticAddresses } from "../addresses/synthetic-addresses.ts";

/** Brings one accepted connection to the host that it names, or closes it. Never rejects. */
export async function handleConnection(
  client: Socket,
  gate: Gate,
  surroundings: Surroundings,
): Promise<void> {
  client.on("error", () => client.destroy());
  try {
    await connectClient(client, gate, surroundings);
  } catch (error) {
    surroundings.log(`egress: a connection failed: ${error instanceof Error ? error.message : "unknown"}`);
    client.destroy();
  }
}

async function connectClient(client: Socket, gate: Gate, surroundings: Surroundings): Promise<void> {
  const place = placeOf(client, gate.addresses);
  if (place.port === proxyPort && place.name === null && isLoopback(place.address)) {
    return serveProxy(client, place, gate, surroundings);
  }
  return passOn(client, await identify(client, place, surroundings.headLimits), gate, surroundings);
}

/** Where a client of a namespace connected to. */
export function placeOf(client: Socket, addresses: SyntheticAddresses): Place {
  const address = (client.localAddress ?? "").replace(/^::ffff:(?=[0-9.]+$)/, "");
  return { name: addresses.nameOf(address), address, port: client.localPort ?? 0 };
}

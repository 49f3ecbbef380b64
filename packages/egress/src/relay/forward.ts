import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Destination } from "../mitm/proxied-credential.ts";
import { type Dialled, dial } from "./dial.ts";
import type { HostName } from "../names/host-name.ts";
import type { RequestHead } from "../protocols/http-head.ts";
import { closingHead } from "../protocols/http-request.ts";
import type { Identified } from "./identify.ts";
import { requestBody } from "../protocols/request-body.ts";
import { splice } from "./splice.ts";
import type { Gate, Surroundings } from "./connection-policy.ts";
import type { EgressDenied, SandboxCredential } from "../policy/types.ts";

/**
 * Sends a connection on to the host that it is for, or refuses it and tells. `connected` gives a connection to the host that
 * stands already.
 */
export async function passOn(
  client: Socket,
  target: Identified,
  gate: Gate,
  surroundings: Surroundings,
  connected: () => Promise<Socket | null> = async () => null,
): Promise<void> {
  const denied = target.kind === "refused" ? target.denied : notAllowed(target, gate);
  if (denied !== null) gate.deny(denied);
  if (denied !== null || target.kind !== "host") return refuse(client);
  const { name, port } = target;
  gate.admitted(client, name, port);
  const connect = async (): Promise<Socket | null> => {
    const standing = await connected();
    if (standing !== null) return standing;
    const reached = await reach(name, port, gate, surroundings);
    return reached.kind === "connected" ? reached.socket : null;
  };
  if (await exchanged(client, target, gate, surroundings, connect)) return;
  if (target.protocol === "tls") join(client, await connect());
  else joinRequest(client, target.head, await connect());
}

/** Whether the connection is opened here, because a credential of the sandbox is for its host; then it is taken care of. */
async function exchanged(
  client: Socket,
  { name, port, protocol }: Destination,
  gate: Gate,
  { exchange, log }: Surroundings,
  dial: () => Promise<Socket | null>,
): Promise<boolean> {
  const destination: Destination = { name, port, protocol };
  const credentials = (): Promise<readonly SandboxCredential[]> => gate.credentialsAt(destination);
  if (exchange === null || (await credentials()).length === 0) return false;
  await exchange.take({ ...destination, client, dial, credentials, owner: gate, deny: gate.deny, log });
  return true;
}

/** Dials a host that the policy allows. That it is refused for its address, or has none, is told. */
export async function reach(
  name: HostName,
  port: number,
  gate: Gate,
  { resolve, guard, log }: Surroundings,
): Promise<Dialled> {
  const dialled = await dial(name, port, resolve, guard);
  if (dialled.kind === "refused") gate.deny({ host: name, port, reason: "private_address" });
  else if (dialled.kind === "unresolvable") gate.deny({ host: name, port, reason: "unresolvable" });
  else if (dialled.kind === "unreachable") log(`egress: ${name}:${port} does not accept connections`);
  return dialled;
}

/** Bytes both ways, or a reset where there is no other side. */
function join(client: Socket, upstream: Socket | null, through?: Duplex): void {
  if (upstream === null || upstream.destroyed) refuse(client);
  else if (client.destroyed) upstream.destroy();
  else splice(client, upstream, through);
}

/** The one request of a plain HTTP connection, whose head still lies in the client's buffer. */
function joinRequest(client: Socket, head: RequestHead, upstream: Socket | null): void {
  if (upstream !== null && !client.destroyed && !upstream.destroyed) {
    takeHead(client, head);
    upstream.write(closingHead(head));
  }
  join(client, upstream, upstream === null ? undefined : requestBody(head, upstream));
}

/** Takes a head out of the buffer that `readHead` put it back into. */
export function takeHead(client: Socket, { length }: RequestHead): void {
  const bytes = client.read() as Buffer | null;
  if (bytes !== null && bytes.length > length) client.unshift(bytes.subarray(length));
}

/** A reset, not a quiet end: programs then report a connection error rather than an empty answer. */
export function refuse(client: Socket): void {
  client.resetAndDestroy();
}

function notAllowed(target: Identified, gate: Gate): EgressDenied | null {
  if (target.kind !== "host" || gate.allows(target.name, target.port)) return null;
  return { host: target.name, port: target.port, reason: "not_allowed" };
}

import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Destination, ProxiedCredential } from "../mitm/proxied-credential.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import type { Client } from "../protocols/client.ts";
import type { RequestHead } from "../protocols/http-head.ts";
import { closingHead } from "../protocols/http-request.ts";
import { requestBody } from "../protocols/request-body.ts";
import type { ConnectionPolicy, EgressContext } from "./connection-policy.ts";
import { dial } from "./dial.ts";
import type { Identified } from "./identify.ts";
import { answerAsService } from "./sandbox-service.ts";

/**
 * Forwards a connection to its host or answers it as a service, or resets and reports it. `connected` returns an existing connection to
 * the host, or null to dial one.
 */
export async function forward(
  client: Client,
  target: Identified,
  policy: ConnectionPolicy,
  context: EgressContext,
  connected: () => Promise<Socket | null> = async () => null,
): Promise<void> {
  if (target.kind === "silent") return reset(client);
  if (await answerAsService(client, target, policy, context)) return;
  const denied = target.kind === "denied" ? target.denied : notAllowed(target, policy);
  if (target.kind === "denied" || denied !== null) {
    if (denied !== null) policy.deny(denied);
    return reset(client);
  }
  const { name, port } = target;
  policy.admitted(client, name, port);
  const connect = async (): Promise<Socket | null> => {
    const existing = await connected();
    if (existing !== null) return existing;
    const dialled = await dial(name, port, policy, context);
    return dialled.kind === "connected" ? dialled.socket : null;
  };
  if (await openedByMitm(client, target, policy, context, connect)) return;
  if (target.protocol === "tls") join(client, await connect());
  else joinRequest(client, target.head, await connect());
}

/** Hands the connection to the MITM if there is a credential for its host. Returns whether it did. */
async function openedByMitm(
  client: Client,
  { name, port, protocol }: Destination,
  policy: ConnectionPolicy,
  { mitm, log }: EgressContext,
  connect: () => Promise<Socket | null>,
): Promise<boolean> {
  const destination: Destination = { name, port, protocol };
  const credentials = (): Promise<readonly ProxiedCredential[]> => policy.credentialsAt(destination);
  if (mitm === null || (await credentials()).length === 0) return false;
  const { deny } = policy;
  await mitm.serve({ ...destination, client, dial: connect, credentials, owner: policy, deny, log });
  return true;
}

/** Joins both sides, or resets the client when there is no upstream. */
function join(client: Client, upstream: Socket | null, through?: Duplex): void {
  if (upstream === null || upstream.destroyed) reset(client);
  else if (client.destroyed) upstream.destroy();
  else {
    pipeOneWay(client, upstream, through);
    pipeOneWay(upstream, client);
  }
}

/** Pipes with backpressure and half-close. When one side or `through` fails, both sides end. */
function pipeOneWay(from: Client, to: Client, through?: Duplex): void {
  if (through === undefined) from.pipe(to);
  else from.pipe(through).pipe(to);
  through?.on("error", () => from.destroy());
  from.on("error", () => to.resetAndDestroy());
  from.on("close", () => {
    if (!from.readableEnded) to.destroy();
  });
}

/** Joins a plain HTTP connection for its one request, whose head is still in the client's buffer. */
function joinRequest(client: Client, head: RequestHead, upstream: Socket | null): void {
  if (upstream !== null && !client.destroyed && !upstream.destroyed) {
    takeHead(client, head);
    upstream.write(closingHead(head));
  }
  join(client, upstream, upstream === null ? undefined : requestBody(head, upstream));
}

/** Removes a head from the read buffer, where `readHead` put it back. */
export function takeHead(client: Client, { length }: RequestHead): void {
  const bytes = client.read() as Buffer | null;
  if (bytes !== null && bytes.length > length) client.unshift(bytes.subarray(length));
}

/** Sends a reset, so that programs report a connection error rather than an empty response. */
export function reset(client: Client): void {
  client.resetAndDestroy();
}

/** Returns the denial of a destination that the policy does not allow, or null if it is allowed. */
export function notAllowed(
  { name, port }: Pick<Destination, "name" | "port">,
  policy: ConnectionPolicy,
): EgressDenied | null {
  return policy.allows(name, port) ? null : { host: name, port, reason: "not_allowed" };
}

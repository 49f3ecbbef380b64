import type { Duplex } from "node:stream";
import { SyntheticAddresses } from "../addresses/synthetic-addresses.ts";
import type { CredentialSource } from "../mitm/proxied-credential.ts";
import { DEFAULT_PORTS } from "../network/ports.ts";
import { type Dialled, SandboxNetwork } from "../network/sandbox-network.ts";
import type { EgressDenied } from "../policy/denial-log.ts";
import type { EgressPolicy } from "../policy/policy.ts";
import type { EgressContext } from "../relay/connection-policy.ts";
import type { SandboxService } from "../relay/sandbox-service.ts";
import { encodeFrame, type Frame, FrameDecoder } from "./frames.ts";
import { EXTRA_BYTES, TunnelStream } from "./tunnel-stream.ts";

/** Permissions of the sandbox at the other end of a tunnel. */
export interface TunnelGrant {
  policy: EgressPolicy;
  /** Revision of the policy, which grows with each change. */
  revision: number;
  credentials?: CredentialSource;
  services?: readonly SandboxService[];
}

/** Maximum number of streams. A sandbox has a lower limit of connections, and closes further ones. */
const MAX_STREAMS = 1_024;
/** Number of open streams below which each may have more bytes in flight. */
const FEW_STREAMS = 16;
/** Maximum bytes waiting to be sent; beyond it, DNS responses and reports are dropped. */
const MAX_WAITING_BYTES = 8_388_608;
/** Milliseconds after which a denied host is reported again. Short, since each command lists its denials. */
const REPEAT_MS = 50;
/**
 * Milliseconds of silence after which the tunnel is closed. The sidecar sends something every ten seconds.
 */
const SILENT_MS = 30_000;

/** One tunnel. Serves what the sidecar of a sandbox captures like the connections of a namespace. */
export class Tunnel {
  readonly closed: Promise<void>;
  readonly #socket: Duplex;
  readonly #network: SandboxNetwork;
  readonly #streams = new Map<number, TunnelStream>();
  readonly #silence: NodeJS.Timeout;
  #revision: number;

  constructor(socket: Duplex, grant: TunnelGrant, context: EgressContext) {
    this.#socket = socket;
    this.#revision = grant.revision;
    const onDenied = (denied: EgressDenied): void => this.#report("V", JSON.stringify(denied));
    // Programs cache addresses for a minute, and another gateway may have assigned the same ones.
    const options = { ...grant, onDenied, repeatMs: REPEAT_MS };
    this.#network = new SandboxNetwork(options, context, SyntheticAddresses.anywhere());
    this.#silence = setTimeout(() => socket.destroy(), SILENT_MS).unref();
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#end();
        resolve();
      });
    });
    this.#tellPolicy();
    const decoder = new FrameDecoder();
    socket.on("data", (chunk: Buffer) => this.#receive(() => decoder.push(chunk)));
    socket.resume();
  }

  /** Applies a changed policy. Does nothing when the revision is the current one. */
  update({ policy, revision }: TunnelGrant): void {
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#network.setPolicy(policy);
    this.#tellPolicy();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Sends the policy's ports to the sidecar, which then captures them as well. */
  #tellPolicy(): void {
    const ports = [...new Set([...DEFAULT_PORTS, ...this.#network.ports])];
    this.#send(0, "W", JSON.stringify({ revision: this.#revision, ports }));
  }

  #receive(read: () => Frame[]): void {
    try {
      this.#silence.refresh();
      for (const frame of read()) this.#take(frame);
    } catch {
      this.#socket.destroy();
    }
  }

  /** Handles a frame. @throws Error for a frame that no sidecar sends. */
  #take({ stream: number, kind, body }: Frame): void {
    const stream = this.#streams.get(number);
    if (kind === "P") this.#send(0, "P");
    else if (kind === "Q") this.#answer(number, body);
    else if (kind === "O") this.#open(number, dialledOf(body));
    else if (stream === undefined) return;
    else if (kind === "D" && !stream.receive(body)) throw new Error("more data than are allowed");
    else if (kind === "E") stream.receiveEnd();
    else if (kind === "K") stream.allow(creditOf(body));
    else if (kind === "C" || kind === "R") this.#forget(number, stream);
  }

  #open(number: number, dialled: Dialled): void {
    if (number === 0 || this.#streams.has(number) || this.#streams.size >= MAX_STREAMS)
      throw new Error("a stream that cannot be opened");
    const extra = this.#streams.size < FEW_STREAMS ? EXTRA_BYTES : 0;
    const stream = new TunnelStream((kind, body) => this.#send(number, kind, body), extra);
    this.#streams.set(number, stream);
    stream.on("error", () => {});
    stream.once("close", () => this.#streams.delete(number));
    this.#network.serve(stream, dialled);
  }

  /** Forgets a stream whose connection the program has closed. */
  #forget(number: number, stream: TunnelStream): void {
    this.#streams.delete(number);
    stream.destroy();
  }

  #answer(number: number, message: Buffer): void {
    this.#report("A", this.#network.respond(message) ?? "", number);
  }

  #report(kind: string, body: Uint8Array | string, number = 0): void {
    if (this.#socket.writableLength < MAX_WAITING_BYTES) this.#send(number, kind, body);
  }

  #send(number: number, kind: string, body?: Uint8Array | string): void {
    if (!this.#socket.destroyed) this.#socket.write(encodeFrame(number, kind, body));
  }

  #end(): void {
    clearTimeout(this.#silence);
    this.#network.close();
    for (const stream of this.#streams.values()) stream.destroy();
  }
}

/** Parses an address and a port. @throws Error for anything else. */
function dialledOf(body: Buffer): Dialled {
  const { address, port } = JSON.parse(body.toString()) as Record<string, unknown>;
  if (typeof address !== "string" || address.length > 45) throw new Error("not an address");
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error("not a port");
  return { address, port };
}

/** Parses a number of bytes. @throws Error for anything else. */
function creditOf(body: Buffer): number {
  const bytes = Number(body.toString("latin1"));
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > 1_048_576) throw new Error("not a number of bytes");
  return bytes;
}

import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { SandboxError } from "../interface/errors.ts";

/** API version of Docker 20.10, which Podman supports from 3.0 on. */
const MIN_API = [1, 41] as const;
const TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** An error status in a response of the container engine. */
export class EngineRequestError extends SandboxError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface EngineVersion {
  /** The product: `Docker` or `Podman`. */
  name: "Docker" | "Podman";
  version: string;
  /** API version in use, such as `1.41`. */
  api: string;
}

/** The calls of the Docker Engine API that a sandbox needs, over the engine's unix socket. */
export class EngineClient {
  readonly #socket: string;
  readonly version: EngineVersion;

  constructor(socket: string, version: EngineVersion) {
    this.#socket = socket;
    this.version = version;
  }

  /** Rejects with `SandboxError` when no container engine responds at the socket, or when it is too old. */
  static async connect(socket: string): Promise<EngineClient> {
    const response = (await call(socket, "GET", "/version")) as Record<string, unknown>;
    const components = Array.isArray(response.Components) ? response.Components : [];
    const podman = components.some((part: { Name?: unknown }) => part.Name === "Podman Engine");
    const name = podman ? "Podman" : "Docker";
    const newest = numbers(response.ApiVersion);
    if (newest === null || before(newest, MIN_API))
      throw new SandboxError(
        `${name} ${response.Version} speaks version ${response.ApiVersion} of the engine API, and ${MIN_API.join(".")} is needed: install Docker 20.10, Podman 3, or newer.`,
      );
    const least = numbers(response.MinAPIVersion) ?? MIN_API;
    const api = (before(MIN_API, least) ? least : MIN_API).join(".");
    return new EngineClient(socket, { name, version: String(response.Version), api });
  }

  /**
   * Returns the JSON of the response, or null when it is not JSON. Rejects with `EngineRequestError` for an
   * error status.
   */
  call(method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<unknown> {
    return call(this.#socket, method, this.#path(path), body);
  }

  /**
   * Opens the stream of a container's input and outputs, before the container starts. The stream ends with
   * the container.
   */
  attach(container: string): Promise<Socket> {
    const path = this.#path(`/containers/${container}/attach?stream=1&stdin=1&stdout=1&stderr=1`);
    return new Promise((resolve, reject) => {
      const outgoing = begin(this.#socket, "POST", path, { connection: "Upgrade", upgrade: "tcp" });
      outgoing.on("upgrade", (_, socket: Socket, head: Buffer) => {
        // The socket may fail before anybody reads it.
        socket.on("error", () => {});
        if (head.length > 0) socket.unshift(head);
        socket.setTimeout(0);
        resolve(socket);
      });
      outgoing.on("response", (response) => {
        read(response).then(() => reject(new SandboxError("The container engine did not attach.")), reject);
      });
      outgoing.on("error", (error) => reject(unreachable(this.#socket, error)));
      outgoing.end();
    });
  }

  #path(path: string): string {
    return `/v${this.version.api}${path}`;
  }
}

function call(socket: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = text === undefined ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const outgoing = begin(socket, method, path, headers);
    outgoing.on("response", (response) => read(response).then(resolve, reject));
    outgoing.on("error", (error) => reject(unreachable(socket, error)));
    outgoing.end(text);
  });
}

function begin(
  socketPath: string,
  method: string,
  path: string,
  headers: Record<string, string>,
): ClientRequest {
  const outgoing = request({
    socketPath,
    method,
    path,
    headers: { host: "engine", ...headers },
    agent: false,
    timeout: TIMEOUT_MS,
  });
  outgoing.on("timeout", () => outgoing.destroy(new Error("it did not respond in time")));
  return outgoing;
}

async function read(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES)
      throw new SandboxError("The response of the container engine is too long.");
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const json = parse(text);
  const status = response.statusCode ?? 0;
  if (status < 400) return json;
  const said = (json as { message?: unknown } | null)?.message ?? text.trim();
  throw new EngineRequestError(status, `The container engine refused: ${said || `status ${status}`}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function unreachable(socket: string, error: Error): SandboxError {
  const why = (error as NodeJS.ErrnoException).code ?? error.message;
  return new SandboxError(`No container engine responds at ${socket} (${why}).`, { cause: error });
}

function numbers(version: unknown): readonly [number, number] | null {
  const parts = /^(\d+)\.(\d+)$/.exec(String(version));
  return parts ? [Number(parts[1]), Number(parts[2])] : null;
}

function before(left: readonly [number, number], right: readonly [number, number]): boolean {
  return left[0] < right[0] || (left[0] === right[0] && left[1] < right[1]);
}

import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { SandboxError } from "../interface/errors.ts";

/** Docker 20.10's; Podman speaks it from 3.0 on. */
const OLDEST = [1, 41] as const;
const TIMEOUT_MS = 60_000;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** The engine answered that it would not. */
export class EngineRefusal extends SandboxError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface EngineVersion {
  /** `Docker` or `Podman`, with its version. */
  name: "Docker" | "Podman";
  version: string;
  /** Of the API that is spoken, such as `1.41`. */
  api: string;
}

/** The few calls of the Docker Engine API that a sandbox needs, over the engine's unix socket. */
export class EngineClient {
  readonly #socket: string;
  readonly version: EngineVersion;

  constructor(socket: string, version: EngineVersion) {
    this.#socket = socket;
    this.version = version;
  }

  /** Asks an engine who it is. Rejects with `SandboxError` when none answers or it is too old. */
  static async connect(socket: string): Promise<EngineClient> {
    const answer = (await call(socket, "GET", "/version")) as Record<string, unknown>;
    const components = Array.isArray(answer.Components) ? answer.Components : [];
    const podman = components.some((part: { Name?: unknown }) => part.Name === "Podman Engine");
    const name = podman ? "Podman" : "Docker";
    const newest = numbers(answer.ApiVersion);
    if (newest === null || before(newest, OLDEST))
      throw new SandboxError(
        `${name} ${answer.Version} speaks version ${answer.ApiVersion} of the engine API, and ${OLDEST.join(".")} is needed: install Docker 20.10, Podman 3, or newer.`,
      );
    const least = numbers(answer.MinAPIVersion) ?? OLDEST;
    const api = (before(OLDEST, least) ? least : OLDEST).join(".");
    return new EngineClient(socket, { name, version: String(answer.Version), api });
  }

  /** The answer's JSON, null where there is none. Rejects with `EngineRefusal` when the engine refuses. */
  call(method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<unknown> {
    return call(this.#socket, method, this.#path(path), body);
  }

  /** The stream of a container's input and outputs, to be opened before it starts. It ends with the container. */
  attach(container: string): Promise<Socket> {
    const path = this.#path(`/containers/${container}/attach?stream=1&stdin=1&stdout=1&stderr=1`);
    return new Promise((resolve, reject) => {
      const asked = begin(this.#socket, "POST", path, { connection: "Upgrade", upgrade: "tcp" });
      asked.on("upgrade", (_, socket: Socket, head: Buffer) => {
        if (head.length > 0) socket.unshift(head);
        socket.setTimeout(0);
        resolve(socket);
      });
      asked.on("response", (answer) => {
        read(answer).then(() => reject(new SandboxError("The container engine did not attach.")), reject);
      });
      asked.on("error", (error) => reject(unreachable(this.#socket, error)));
      asked.end();
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
    const asked = begin(socket, method, path, headers);
    asked.on("response", (answer) => read(answer).then(resolve, reject));
    asked.on("error", (error) => reject(unreachable(socket, error)));
    asked.end(text);
  });
}

function begin(
  socketPath: string,
  method: string,
  path: string,
  headers: Record<string, string>,
): ClientRequest {
  const asked = request({
    socketPath,
    method,
    path,
    headers: { host: "engine", ...headers },
    agent: false,
    timeout: TIMEOUT_MS,
  });
  asked.on("timeout", () => asked.destroy(new Error("it did not answer in time")));
  return asked;
}

async function read(answer: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) throw new SandboxError("The container engine answered too much.");
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const json = parse(text);
  const status = answer.statusCode ?? 0;
  if (status < 400) return json;
  const said = (json as { message?: unknown } | null)?.message ?? text.trim();
  throw new EngineRefusal(status, `The container engine refused: ${said || `status ${status}`}`);
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
  return new SandboxError(`No container engine answers at ${socket} (${why}).`, { cause: error });
}

function numbers(version: unknown): readonly [number, number] | null {
  const parts = /^(\d+)\.(\d+)$/.exec(String(version));
  return parts ? [Number(parts[1]), Number(parts[2])] : null;
}

function before(left: readonly [number, number], right: readonly [number, number]): boolean {
  return left[0] < right[0] || (left[0] === right[0] && left[1] < right[1]);
}

import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

interface Batch {
  operation: "download" | "upload";
  objects: { oid: string; size: number }[];
}

/** A request to the LFS server of a repository. */
export interface LfsRequest {
  repository: string;
  /** `objects/batch`, `objects/<oid>` or `locks/verify`. */
  service: string;
  /** URL of the server: `https://host/org/name.git/info/lfs`. */
  url: string;
  /** The status with which a request is denied; null if it is allowed. */
  denied(isUpload: boolean): number | null;
}

/** Git LFS: the batch API with basic transfers, as Gitea offers it. Objects are kept in memory. */
export class LfsObjects {
  readonly #objects = new Map<string, Buffer>();
  readonly #closed = new Set<string>();
  readonly #silent = new Set<string>();

  /** Makes the LFS server of this repository reject all credentials (401), while git still accepts them. */
  rejectCredentials(repository: string): void {
    this.#closed.add(repository);
  }

  /** Makes the LFS server of this repository never respond. */
  hang(repository: string): void {
    this.#silent.add(repository);
  }

  /** Stores an object, and returns the pointer that a commit contains. */
  add(repository: string, content: Buffer): string {
    const oid = createHash("sha256").update(content).digest("hex");
    this.#objects.set(`${repository} ${oid}`, content);
    return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;
  }

  /** Returns the contents of a repository's objects. */
  of(repository: string): Buffer[] {
    return [...this.#objects]
      .filter(([key]) => key.startsWith(`${repository} `))
      .map(([, content]) => content);
  }

  async serve(lfs: LfsRequest, request: IncomingMessage, response: ServerResponse): Promise<number | null> {
    const body = await buffer(request);
    const { repository, service } = lfs;
    if (this.#closed.has(repository)) return 401;
    if (this.#silent.has(repository)) return null;
    if (service === "objects/batch") return this.#batch(lfs, JSON.parse(body.toString()), request, response);
    const denied = lfs.denied(request.method === "PUT");
    if (denied !== null) return denied;
    if (service === "locks/verify") return 404;
    const oid = service.slice("objects/".length);
    if (request.method === "PUT") {
      if (createHash("sha256").update(body).digest("hex") !== oid) return 403;
      this.add(repository, body);
      response.writeHead(200).end();
      return null;
    }
    const content = this.#objects.get(`${repository} ${oid}`);
    if (content === undefined) return 404;
    response.writeHead(200, { "content-type": "application/octet-stream" }).end(content);
    return null;
  }

  #batch(
    { repository, url, denied }: LfsRequest,
    { operation, objects }: Batch,
    request: IncomingMessage,
    response: ServerResponse,
  ): number | null {
    const status = denied(operation === "upload");
    if (status !== null) return status;
    const { authorization } = request.headers;
    const header = authorization === undefined ? {} : { Authorization: authorization };
    const answers = objects.map(({ oid, size }) => {
      const isThere = this.#objects.has(`${repository} ${oid}`);
      if (operation === "download" && !isThere)
        return { oid, size, error: { code: 404, message: "Object does not exist" } };
      const actions = { [operation]: { href: `${url}/objects/${oid}`, header } };
      return operation === "upload" && isThere ? { oid, size } : { oid, size, authenticated: true, actions };
    });
    return json(response, { transfer: "basic", objects: answers });
  }
}

function json(response: ServerResponse, body: object): null {
  response.writeHead(200, { "content-type": "application/vnd.git-lfs+json" }).end(JSON.stringify(body));
  return null;
}

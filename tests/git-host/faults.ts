import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * A fault of one request. `hang` never responds, `after` is awaited first. `cutAfter` serves the refs, and
 * breaks the connection of the next larger response after that many bytes.
 */
export type Fault =
  | { status: number; headers?: Record<string, string>; after?: Promise<unknown> }
  | { cutAfter: number }
  | "reset"
  | "hang";

interface QueuedFault {
  fault: Fault;
  begin(): void;
}

const PATH =
  /^\/(.+?)(?:\.git)?\/(info\/refs|git-upload-pack|info\/lfs\/objects\/(?:batch|[0-9a-f]{64}))(?:\?|$)/;

/** Faults of a git host: pass `intercept` to it, and queue faults for repositories. */
export class Faults {
  readonly #queued = new Map<string, QueuedFault[]>();
  /** Bytes after which the packs of repositories are cut. */
  readonly #cuts = new Map<string, number>();

  /**
   * Makes the next requests for the refs of `org/name` fail, one for each fault. With `org/name batch` or
   * `org/name object`, requests to its LFS server fail. Resolves when the last fault has begun.
   */
  async queue(repository: string, ...faults: Fault[]): Promise<void> {
    const queue = this.#queued.get(repository) ?? [];
    this.#queued.set(repository, queue);
    const begun = faults.map((fault) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      queue.push({ fault, begin: resolve });
      return promise;
    });
    await Promise.all(begun);
  }

  readonly intercept = (request: IncomingMessage, response: ServerResponse): boolean => {
    const [, repository = "", service = ""] = PATH.exec(request.url ?? "") ?? [];
    if (service === "git-upload-pack") return this.#cut(repository, response);
    const lfs = service.endsWith("/batch") ? "batch" : "object";
    const key = service === "info/refs" ? repository : `${repository} ${lfs}`;
    const queued = this.#queued.get(key)?.shift();
    if (queued === undefined) return false;
    const { fault, begin } = queued;
    if (fault === "reset") request.socket.destroy();
    else if (fault !== "hang" && "cutAfter" in fault) this.#cuts.set(repository, fault.cutAfter);
    else if (fault !== "hang")
      Promise.resolve(fault.after).then(() => response.writeHead(fault.status, fault.headers).end());
    begin();
    return fault === "hang" || fault === "reset" || !("cutAfter" in fault);
  };

  #cut(repository: string, response: ServerResponse): false {
    let left = this.#cuts.get(repository);
    if (left === undefined) return false;
    const write = response.write.bind(response) as (chunk: Buffer) => boolean;
    response.write = ((chunk: Buffer) => {
      if (left === undefined || chunk.length <= left) {
        if (left !== undefined) left -= chunk.length;
        return write(chunk);
      }
      write(chunk.subarray(0, left));
      this.#cuts.delete(repository);
      // The written bytes are sent first.
      setImmediate(() => response.destroy());
      left = 0;
      return true;
    }) as typeof response.write;
    return false;
  }
}

import { createReadStream } from "node:fs";
import type { Uploads } from "../inside/uploads.ts";
import type { MountedFile } from "../interface/spec.ts";
import type { PipeConnection } from "./pipe-connection.ts";

const READ_ONLY = 0o444;

/** A volume that the container beside the sandbox writes, and the sandbox reads. */
export class PodUploads implements Uploads {
  readonly #connection: PipeConnection;

  constructor(connection: PipeConnection) {
    this.#connection = connection;
  }

  place({ source, target }: MountedFile): Promise<void> {
    return this.#connection.place(target, READ_ONLY, createReadStream(source));
  }

  remove(target: string): Promise<void> {
    return this.#connection.remove(target);
  }
}

import { openRegularFile } from "@berth/linux";
import { UPLOADS_INSIDE } from "../inside/environment.ts";
import type { Uploads } from "../inside/uploads.ts";
import { SandboxError } from "../interface/errors.ts";
import type { MountedFile } from "../interface/spec.ts";
import type { PipeConnection } from "./pipe-connection.ts";
import { CONTENT } from "./pod-body.ts";

const READ_ONLY = 0o444;

/** Uploads in a volume that the container beside the sandbox writes and the sandbox reads. */
export class PodUploads implements Uploads {
  readonly #connection: PipeConnection;

  constructor(connection: PipeConnection) {
    this.#connection = connection;
  }

  async place({ source, target }: MountedFile): Promise<void> {
    const file = await openRegularFile(source).catch((error: unknown) => {
      throw new SandboxError("the file to be placed cannot be read", { cause: error });
    });
    await this.#connection.place(besideSandbox(target), READ_ONLY, file.createReadStream());
  }

  remove(target: string): Promise<void> {
    return this.#connection.remove(besideSandbox(target));
  }
}

/**
 * Returns the path of an upload in the container beside the sandbox. The server renames the finished file to
 * it, so no mount may lie in between.
 */
function besideSandbox(target: string): string {
  return target.replace(UPLOADS_INSIDE, `${CONTENT}/uploads`);
}

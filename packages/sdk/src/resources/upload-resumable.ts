import type { File as BerthFile, NewFile, Visibility } from "@berth/contract";
import { BerthError, ConflictError } from "../transport/errors.ts";
import type { CallOptions } from "../transport/options.ts";
import { retryDelay } from "../transport/retry.ts";
import type { Transport } from "../transport/transport.ts";

export interface NewFileOptions {
  metadata?: Record<string, string> | undefined;
  /** Who sees the file. Default: the organization's default. */
  visibility?: Visibility | undefined;
}

export interface ResumableOptions extends Omit<CallOptions, "idempotencyKey">, NewFileOptions {
  /** Id of the pending file of an earlier upload of the same content, to resume it. */
  file_id?: string | undefined;
  /** Bytes of a part. Default: 8 MiB. */
  partSize?: number | undefined;
  /** Called with the number of stored bytes whenever it grows. */
  onProgress?: ((progress: { uploaded: number; total: number }) => void) | undefined;
}

/** The calls of files that an upload in parts makes. */
interface FileCalls {
  create(body: NewFile, options: CallOptions): PromiseLike<BerthFile>;
  get(file_id: string, options: CallOptions): PromiseLike<BerthFile>;
  putContent(
    file_id: string,
    content: Blob,
    options: CallOptions & { part?: { start: number; total: number } },
  ): PromiseLike<BerthFile>;
}

const PART_SIZE = 8 * 1_048_576;

/**
 * Uploads content in parts. After a transient failure it asks the service how much is stored and continues
 * from there. Gives up after `maxRetries` failures in a row without progress. Default: 5.
 */
export async function uploadResumable(
  files: FileCalls,
  transport: Pick<Transport, "sleep" | "warn">,
  { name, content }: { name: string; content: Blob },
  {
    metadata,
    visibility,
    file_id,
    partSize = PART_SIZE,
    onProgress,
    maxRetries = 5,
    ...call
  }: ResumableOptions,
): Promise<BerthFile> {
  const total = content.size;
  const pending = {
    filename: name,
    size_bytes: total,
    mime_type: content.type || undefined,
    metadata,
    visibility,
  };
  let file = await (file_id === undefined ? files.create(pending, call) : files.get(file_id, call));
  for (let failures = 0; file.status === "pending"; ) {
    const before = file.uploaded_bytes;
    try {
      const rest = content.slice(before, before + partSize);
      const part = total === 0 ? {} : { part: { start: before, total } };
      file = await files.putContent(file.id, rest, { ...call, ...part });
    } catch (error) {
      const wait = failures < maxRetries ? delay(error, failures) : null;
      if (wait === null) throw error;
      transport.warn("resuming", { file_id: file.id, error: String(error), wait_ms: wait });
      await transport.sleep(wait, call.signal);
      file = await files.get(file.id, call);
      failures += 1;
    }
    if (file.uploaded_bytes > before) {
      failures = 0;
      onProgress?.({ uploaded: file.uploaded_bytes, total });
    }
  }
  if (file.status === "failed") throw new BerthError(`The upload of file '${file.id}' has failed.`);
  return file;
}

/**
 * Returns the delay in milliseconds, or null to give up. A conflict is transient here: the service stored
 * more than the client knows, or has not noticed a broken connection yet.
 */
function delay(error: unknown, failures: number): number | null {
  return error instanceof ConflictError ? 1000 * 2 ** failures : retryDelay(error, failures, Date.now());
}

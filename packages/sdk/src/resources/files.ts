import type { Answer as AnswerBody, File as BerthFile, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Query } from "../types.ts";

type Routes = typeof routes.files;
const { files } = operations;

/** A `File`, or a name with its content. `fs.openAsBlob` of Node gives a content that is read from disk as it is sent. */
export type Upload = File | { name: string; content: Blob | Uint8Array<ArrayBuffer> | string; type?: string };

export class Files {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Default `timeout`: ten minutes. */
  upload(
    upload: Upload,
    { metadata, ...options }: CallOptions & { metadata?: Record<string, string> } = {},
  ): Answer<BerthFile> {
    const body = formOf(upload, metadata);
    return answerOf(
      this.#transport.json({
        operation: files.upload,
        body,
        ...options,
        timeout: options.timeout ?? 600_000,
      }),
    );
  }

  list(query?: Query<Routes["list"]>, options?: CallOptions): PagedList<BerthFile> {
    return listOf(this.#transport, { operation: files.list, query, ...options });
  }

  get(file_id: string, options?: CallOptions): Answer<BerthFile> {
    return answerOf(this.#transport.json({ operation: files.get, params: { file_id }, ...options }));
  }

  /** Deletes a file that no living session mounts. */
  delete(file_id: string, options?: CallOptions): Answer<AnswerBody<Routes["delete"]>> {
    return answerOf(this.#transport.json({ operation: files.delete, params: { file_id }, ...options }));
  }

  /** The content as a `Response`: read its `body`, `bytes()`, `text()` or `blob()`. */
  content(file_id: string, options?: CallOptions): Promise<Response> {
    return this.#transport.open({ operation: files.content, params: { file_id }, ...options }, "*/*");
  }
}

function formOf(upload: Upload, metadata: Record<string, string> | undefined): FormData {
  const form = new FormData();
  if (metadata !== undefined) form.append("metadata", JSON.stringify(metadata));
  appendUpload(form, "file", upload);
  return form;
}

export function appendUpload(form: FormData, field: string, upload: Upload): void {
  if (upload instanceof File) form.append(field, upload);
  else form.append(field, blobOf(upload), upload.name);
}

function blobOf({ content, type }: Exclude<Upload, File>): Blob {
  if (content instanceof Blob && type === undefined) return content;
  return new Blob([content], type === undefined ? {} : { type });
}

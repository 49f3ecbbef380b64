import type { Answer as AnswerBody, File as BerthFile, newFile, routes } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type Answer, answerOf } from "../answer.ts";
import type { CallOptions } from "../options.ts";
import { listOf, type PagedList } from "../page.ts";
import type { Transport } from "../transport.ts";
import type { Query } from "../types.ts";
import { type ResumableOptions, uploadResumable } from "../upload-resumable.ts";

type Routes = typeof routes.files;
const { files } = operations;

type NewFile = (typeof newFile)["_zod"]["input"];

/** What a `content` is given as. */
export type Content = Blob | Uint8Array<ArrayBuffer> | string;

/** Where a part of a content belongs: the place of its first byte, and the size of the whole once that is known. */
export interface Part {
  start: number;
  total?: number | undefined;
}

/** A `File`, or a name with its content. `fs.openAsBlob` of Node gives a content that is read from disk as it is sent. */
export type Upload = File | { name: string; content: Content; type?: string };

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

  /** Announces a file whose content comes later, by `putContent`. */
  create(body: NewFile, options?: CallOptions): Answer<BerthFile> {
    const operation = { ...files.upload, body: "json" } as const;
    return answerOf(this.#transport.json({ operation, body, ...options }));
  }

  /**
   * Sends the content of an announced file, or with `part` a part of it, and is not tried again by default: after an answer
   * that got lost, `get` tells how much has arrived. Default `timeout`: ten minutes.
   */
  putContent(
    file_id: string,
    content: Content,
    { part, headers, ...options }: CallOptions & { part?: Part } = {},
  ): Answer<BerthFile> {
    const body = content instanceof Blob ? content : new Blob([content]);
    return answerOf(
      this.#transport.json({
        operation: files.putContent,
        params: { file_id },
        body,
        maxRetries: 0,
        timeout: 600_000,
        ...options,
        headers: { ...(part === undefined ? {} : { "content-range": rangeOf(part, body.size) }), ...headers },
      }),
    );
  }

  /**
   * Uploads in parts and goes on where the content stopped to arrive when a connection breaks or the service restarts; with
   * `file_id` also where another call did.
   */
  uploadResumable(upload: Upload, options: ResumableOptions = {}): Promise<BerthFile> {
    const { name } = upload;
    const content = upload instanceof File ? upload : blobOf(upload);
    return uploadResumable(this, this.#transport, { name, content }, options);
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

/** A part without bytes asks how much has arrived. */
function rangeOf({ start, total }: Part, size: number): string {
  return `bytes ${size === 0 ? "*" : `${start}-${start + size - 1}`}/${total ?? "*"}`;
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

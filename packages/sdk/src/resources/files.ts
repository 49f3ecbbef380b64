import type { File as BerthFile, NewFile } from "@berth/contract";
import { operations } from "@berth/contract/operations";
import { type ApiPromise, apiPromise } from "../transport/api-promise.ts";
import type { Call, CallOptions } from "../transport/options.ts";
import type { Transport } from "../transport/transport.ts";
import type { Methods } from "./methods.ts";
import { resource } from "./resource.ts";
import { type NewFileOptions, type ResumableOptions, uploadResumable } from "./upload-resumable.ts";

export type Content = Blob | Uint8Array<ArrayBuffer> | string;

/** Position of a part in the content: offset of its first byte, and the total size once known. */
export interface Part {
  start: number;
  total?: number | undefined;
}

/** A `File`, or a name with content. Node's `fs.openAsBlob` reads content from disk while it is sent. */
export type Upload = File | { name: string; content: Content; type?: string };

export type Files = Methods["files"] & Uploads;

/** Returns the methods of files. */
export function files(transport: Transport): Files {
  return Object.assign(new Uploads(transport), resource(transport, "files"));
}

/** The methods that send contents. */
class Uploads {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Uploads a file in one request. Default `timeout`: ten minutes. */
  upload(
    upload: Upload,
    { metadata, visibility, ...options }: CallOptions & NewFileOptions = {},
  ): ApiPromise<BerthFile> {
    const body = formOf(upload, metadata);
    if (visibility !== undefined) body.append("visibility", visibility);
    return this.#request({
      operation: operations.files.upload,
      body,
      ...options,
      timeout: options.timeout ?? 600_000,
    });
  }

  /** Creates a pending file, whose content `putContent` sends. */
  create(body: NewFile, options?: CallOptions): ApiPromise<BerthFile> {
    const operation = { ...operations.files.upload, body: "json" } as const;
    return this.#request({ operation, body, ...options });
  }

  /**
   * Sends the content of a pending file, or with `part` a part of it. Not retried by default: if the response
   * is lost, the `uploaded_bytes` of `get` say how much is stored. Default `timeout`: ten minutes.
   */
  putContent(
    file_id: string,
    content: Content,
    { part, headers, ...options }: CallOptions & { part?: Part } = {},
  ): ApiPromise<BerthFile> {
    const body = content instanceof Blob ? content : new Blob([content]);
    return this.#request({
      operation: operations.files.putContent,
      params: { file_id },
      body,
      maxRetries: 0,
      timeout: 600_000,
      ...options,
      headers: { ...(part === undefined ? {} : { "content-range": rangeOf(part, body.size) }), ...headers },
    });
  }

  /**
   * Uploads in parts. If a connection breaks or the service restarts, the upload resumes after the bytes that
   * are stored; with `file_id` it resumes an upload of an earlier call.
   */
  uploadResumable(upload: Upload, options: ResumableOptions = {}): Promise<BerthFile> {
    const { name } = upload;
    const content = upload instanceof File ? upload : blobOf(upload);
    return uploadResumable(files(this.#transport), this.#transport, { name, content }, options);
  }

  #request(call: Call): ApiPromise<BerthFile> {
    return apiPromise(this.#transport.json(call));
  }
}

/** Returns the `content-range` of a part. A part without bytes asks how much is stored. */
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

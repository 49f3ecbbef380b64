import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import {
  type AnyJson,
  Api,
  type ApiResponse,
  type CallOptions,
  type Json,
} from "../../acceptance/harness/api.ts";

const AGAIN_MS = 50;

/**
 * A client that only repeats safe requests: reads, and parts of an upload, which state their offset. Other
 * failures are recorded, since a client cannot know whether the request took effect.
 */
export class CarefulClient extends Api {
  /** Failed requests that may not be repeated. */
  readonly failures: string[] = [];
  /** The number of repeated requests. */
  retried = 0;
  readonly #isOver: () => boolean;

  constructor(url: string, token: string, isOver: () => boolean) {
    super(url, token);
    this.#isOver = isOver;
  }

  override async call(
    method: string,
    path: string,
    body?: Json,
    options?: CallOptions,
  ): Promise<ApiResponse> {
    for (;;) {
      const response = await super.call(method, path, body, options).catch((error: Error) => error);
      if (!(response instanceof Error) && response.status < 500) return response;
      const told =
        response instanceof Error ? String(response.cause ?? response) : JSON.stringify(response.body);
      const failure = `${new Date().toISOString()} ${method} ${path}: ${told}`;
      if (method === "POST" || method === "DELETE") this.failures.push(failure);
      if (method === "POST" || method === "DELETE" || this.#isOver()) throw new Error(failure);
      this.retried += 1;
      await pause(AGAIN_MS);
    }
  }

  /** Uploads a content in parts, each from the offset that the service reports. */
  async upload(content: Buffer, part: number): Promise<AnyJson> {
    const { id } = await this.ok("POST", "/files", { filename: "parts.bin", size_bytes: content.length });
    for (;;) {
      const file = await this.ok("GET", `/files/${id}`);
      if (file.status !== "pending") return file;
      const start: number = file.uploaded_bytes;
      const end = Math.min(start + part, content.length);
      const sent = await this.call("PUT", `/files/${id}/content`, undefined, {
        raw: new Uint8Array(content.subarray(start, end)),
        headers: { "content-range": `bytes ${start}-${end - 1}/${content.length}` },
      });
      // A part that was stored although its response was lost is rejected as such.
      assert.ok([200, 409, 416].includes(sent.status), JSON.stringify(sent.body));
    }
  }
}

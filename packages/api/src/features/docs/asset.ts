import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Encoding, encodingFor, listed } from "../../http/accepted-encoding.ts";

const BROTLI_QUALITY = 6;

const compress: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (content) => promisify(gzip)(content),
};

/** A text that is served as it is, compressed once per encoding at the first request for it. */
export class Asset {
  /** Hash of the content, the same for the same bytes. */
  readonly hash: string;
  readonly #type: string;
  readonly #content: Buffer;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(type: string, text: string) {
    this.#type = type;
    this.#content = Buffer.from(text);
    this.hash = createHash("sha256").update(this.#content).digest("hex").slice(0, 16);
  }

  /** Sends the content, or 304 to a client that has it. `cacheControl` says how long clients may keep it. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    cacheControl: "no-cache" | "public, max-age=31536000, immutable",
  ): Promise<FastifyReply> {
    const etag = `W/"${this.hash}"`;
    reply.headers({
      etag,
      vary: [reply.getHeader("vary"), "accept-encoding"].filter(Boolean).join(", "),
      "cache-control": cacheControl,
      "content-type": this.#type,
    });
    if (listed(request.headers["if-none-match"]).includes(etag)) return reply.code(304).send();
    const encoding = encodingFor(request.headers["accept-encoding"]);
    if (encoding === null) return reply.send(this.#content);
    return reply.header("content-encoding", encoding).send(await this.#compressed(encoding));
  }

  #compressed(encoding: Encoding): Promise<Buffer> {
    const known = this.#encoded.get(encoding) ?? compress[encoding](this.#content);
    this.#encoded.set(encoding, known);
    return known;
  }
}

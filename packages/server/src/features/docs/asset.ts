import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

type Encoding = "br" | "gzip";

const BROTLI_QUALITY = 6;

const compress: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (content) => promisify(gzip)(content),
};

/** A text that the service serves as it is, compressed once for each encoding when first asked for. */
export class Asset {
  /** Names the content: the same for the same bytes. */
  readonly hash: string;
  readonly #type: string;
  readonly #content: Buffer;
  readonly #encoded = new Map<Encoding, Promise<Buffer>>();

  constructor(type: string, text: string) {
    this.#type = type;
    this.#content = Buffer.from(text);
    this.hash = createHash("sha256").update(this.#content).digest("hex").slice(0, 16);
  }

  /** Sends the content, or 304 to a client that has it. `cacheControl` says how long it may be kept unasked. */
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

function encodingFor(header: string | string[] | undefined): Encoding | null {
  const accepted = listed(header)
    .map((item) => item.toLowerCase().replaceAll(" ", "").split(";q="))
    .filter(([, quality = "1"]) => Number(quality) > 0)
    .map(([name]) => name);
  return (["br", "gzip"] as const).find((encoding) => accepted.includes(encoding)) ?? null;
}

function listed(header: string | string[] | undefined): string[] {
  return String(header ?? "")
    .split(",")
    .map((item) => item.trim());
}

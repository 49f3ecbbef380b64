/**
 * The result of reading the first bytes of a TLS connection. `more` means that more bytes are needed,
 * `invalid` that it is not a TLS client hello. `serverName` is the text of the SNI extension, not validated,
 * or null without one.
 */
export type ClientHello =
  | { kind: "more" }
  | { kind: "invalid" }
  | { kind: "hello"; serverName: string | null };

const MORE: ClientHello = { kind: "more" };
const INVALID: ClientHello = { kind: "invalid" };

/** Maximum bytes of a hello. It may span many records; with post-quantum key shares it has about 2 KB. */
const MAX_HELLO_BYTES = 16_384;

/** Reads the client hello at the start of `bytes`. Never throws. */
export function readClientHello(bytes: Buffer): ClientHello {
  const handshake = joinRecords(bytes);
  if (!Buffer.isBuffer(handshake)) return handshake;
  if (handshake.length < 4) return MORE;
  const length = handshake.readUIntBE(1, 3);
  if (handshake[0] !== 1 || length > MAX_HELLO_BYTES) return INVALID;
  return handshake.length < 4 + length ? MORE : readBody(handshake.subarray(4, 4 + length));
}

/** Joins the content of the handshake records received so far, including a last, incomplete one. */
function joinRecords(bytes: Buffer): Buffer | ClientHello {
  const parts: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] !== 0x16) return at === 0 ? INVALID : Buffer.concat(parts);
    if (at + 5 > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at + 1] !== 3 || length === 0 || length > 16_384) return INVALID;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return parts.length === 0 ? MORE : Buffer.concat(parts);
}

function readBody(body: Buffer): ClientHello {
  const fields = new Fields(body);
  fields.skip(2 + 32);
  fields.take(1);
  fields.take(2);
  fields.take(1);
  if (fields.failed) return INVALID;
  if (fields.atEnd) return { kind: "hello", serverName: null };
  const extensions = new Fields(fields.take(2));
  if (fields.failed || !fields.atEnd) return INVALID;
  return readExtensions(extensions);
}

function readExtensions(extensions: Fields): ClientHello {
  let serverName: string | null = null;
  while (!extensions.atEnd && !extensions.failed) {
    const type = extensions.number(2);
    const content = extensions.take(2);
    if (type !== 0) continue;
    const name = readServerName(content);
    if (name === null || serverName !== null) return INVALID;
    serverName = name;
  }
  return extensions.failed ? INVALID : { kind: "hello", serverName };
}

/**
 * Reads the server name. Returns null unless the list has exactly one name of type host_name, since the
 * server could read anything else differently.
 */
function readServerName(content: Buffer): string | null {
  const outer = new Fields(content);
  const list = new Fields(outer.take(2));
  const type = list.number(1);
  const name = list.take(2);
  const isSound = !outer.failed && outer.atEnd && !list.failed && list.atEnd && type === 0;
  return isSound && name.length > 0 ? name.toString("latin1") : null;
}

/** Reads length-prefixed fields. Reading past the end sets `failed` and yields empty fields. */
class Fields {
  failed = false;
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  skip(count: number): void {
    if (this.#at + count > this.#bytes.length) this.failed = true;
    this.#at += count;
  }

  number(size: 1 | 2): number {
    const start = this.#at;
    this.skip(size);
    return this.failed ? 0 : this.#bytes.readUIntBE(start, size);
  }

  /** Reads a field that is preceded by its length in `size` bytes. */
  take(size: 1 | 2): Buffer {
    const length = this.number(size);
    const start = this.#at;
    this.skip(length);
    return this.failed ? Buffer.alloc(0) : this.#bytes.subarray(start, start + length);
  }
}

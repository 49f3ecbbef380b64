/** A shell's report of its command's end. Untrusted. */
export interface CommandEnd {
  exitCode: number;
  cwd: string;
}

const MAX_TRAILER_BYTES = 16_384;
const MAX_PID_DIGITS = 10;
const NEWLINE = 10;

interface Events {
  /** @param pid The pid that the shell reported; null when it reported none. */
  begin: (pid: number | null) => void;
  body: (bytes: Buffer) => void;
  end: (end: CommandEnd) => void;
}

/**
 * Reads the output pipe of one command. First comes a line, empty or with the shell's pid, when the shell
 * runs; then the command's bytes; then `NONCE exit-code cwd NONCE`. The nonce is unguessable and reaches the
 * shell only in its script, never in arguments or variables that `ps` or `env` print. So no output can end a
 * command early. Bytes after the end, from background jobs, are dropped.
 */
export class FrameReader {
  readonly #nonce: Buffer;
  readonly #on: Events;
  #state: "begin" | "body" | "trailer" | "ended" = "begin";
  #held: Buffer = Buffer.alloc(0);

  constructor(nonce: string, on: Events) {
    this.#nonce = Buffer.from(nonce, "latin1");
    this.#on = on;
  }

  /** Whether the shell has opened the pipe. */
  get hasBegun(): boolean {
    return this.#state !== "begin";
  }

  push(chunk: Buffer): void {
    if (this.#state === "ended" || chunk.length === 0) return;
    let bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    this.#held = Buffer.alloc(0);
    if (this.#state === "begin") {
      const end = bytes.subarray(0, MAX_PID_DIGITS + 1).indexOf(NEWLINE);
      if (end < 0 && bytes.length <= MAX_PID_DIGITS) {
        this.#held = Buffer.from(bytes);
        return;
      }
      this.#state = "body";
      this.#on.begin(end > 0 ? Number(bytes.subarray(0, end).toString("latin1")) || null : null);
      bytes = bytes.subarray(Math.max(0, end) + 1);
    }
    if (this.#state === "body") this.#body(bytes);
    else this.#trailer(bytes);
  }

  /**
   * Delivers bytes that were held back as a possible beginning of the nonce. Call it when the pipe closed
   * without the end.
   */
  flush(): void {
    if (this.#state === "body" && this.#held.length > 0) this.#on.body(this.#held);
    this.#held = Buffer.alloc(0);
  }

  #body(bytes: Buffer): void {
    const at = bytes.indexOf(this.#nonce);
    if (at < 0) {
      const held = this.#beginningOfNonce(bytes);
      if (bytes.length > held) this.#on.body(bytes.subarray(0, bytes.length - held));
      this.#held = Buffer.from(bytes.subarray(bytes.length - held));
      return;
    }
    if (at > 0) this.#on.body(bytes.subarray(0, at));
    this.#state = "trailer";
    this.#trailer(bytes.subarray(at + this.#nonce.length));
  }

  #trailer(bytes: Buffer): void {
    const at = bytes.indexOf(this.#nonce);
    if (at < 0 && bytes.length < MAX_TRAILER_BYTES) {
      this.#held = Buffer.from(bytes);
      return;
    }
    this.#state = "ended";
    const text = bytes.subarray(0, Math.max(0, at)).toString("utf8");
    const parts = /^ (\d{1,3}) ([\s\S]*) $/.exec(text);
    this.#on.end({ exitCode: Number(parts?.[1] ?? 255), cwd: parts?.[2] ?? "" });
  }

  /** Returns the length of the longest suffix of `bytes` that is a prefix of the nonce. */
  #beginningOfNonce(bytes: Buffer): number {
    for (let length = Math.min(bytes.length, this.#nonce.length - 1); length > 0; length--) {
      if (bytes.subarray(bytes.length - length).equals(this.#nonce.subarray(0, length))) return length;
    }
    return 0;
  }
}

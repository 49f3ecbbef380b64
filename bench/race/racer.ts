/** A participant of the race. */
export interface Racer {
  /** The name with its version. */
  name: string;
  /** The failures that an acknowledged write survives. */
  durable: string;
  /** The packages to install: names with exact versions. */
  packages: readonly string[];
  /** Resolves when it has responded to a first request. */
  start(place: Place): Promise<Started>;
}

/** The places that a racer is given. */
export interface Place {
  /** The folder with the installed packages. */
  installed: string;
  /** The folder for all that it stores. */
  store: string;
  /** A Chat Completions provider: `http://ADDRESS:PORT/v1`. */
  model: string;
}

/** A running racer. `pid` is the root of its process tree. */
export interface Started {
  url: string;
  pid: number;
  /** Creates what its requests need, such as a token or a session. */
  work(): Promise<Work>;
  stop(): Promise<void>;
}

/** The measured requests; null for unsupported ones. */
export interface Work {
  /** Returns the text of a request that creates a session, a thread or a stream. */
  create(): string;
  /** Returns the text of a request for the newest twenty. */
  list: (() => string) | null;
  /** Sends a message to one session and follows it to the end of its turn. */
  turn(): Promise<Lap>;
  /** Ends the stream that `turn` follows. */
  end(): void;
}

/**
 * Milliseconds from the start of the request with a message until its client learns of each; null if it never
 * does.
 */
export interface Lap {
  /** The message is in the session. */
  echoed: number | null;
  /** The loop has begun. */
  began: number | null;
  /** The turn is over. */
  ended: number | null;
}

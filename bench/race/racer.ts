/** One of those that race. */
export interface Racer {
  /** With its version. */
  name: string;
  /** What of an acknowledged write survives what. */
  durable: string;
  /** What the bench installs for it: package names with exact versions. */
  packages: readonly string[];
  /** Resolves when it has answered a first request. */
  start(place: Place): Promise<Started>;
}

export interface Place {
  /** The folder with the installed packages. */
  installed: string;
  /** The folder for all that it stores. */
  store: string;
  /** A Chat Completions provider: `http://ADDRESS:PORT/v1`. */
  model: string;
}

export interface Started {
  url: string;
  pid: number;
  /** Makes what its requests need, such as a token or a session. */
  work(): Promise<Work>;
  stop(): Promise<void>;
}

/** What is measured; null: it has no such thing. */
export interface Work {
  /** The text of a request that creates a session, a thread or a stream. */
  create(): string;
  /** The text of a request for the newest twenty. */
  list: (() => string) | null;
  /** Sends a message to one session and follows it to the end of its turn. */
  turn(): Promise<Lap>;
  /** Ends what `turn` follows. */
  end(): void;
}

/** Milliseconds from the start of the request with a message until its client knows; null: it is never told. */
export interface Lap {
  /** The message is in the session. */
  echoed: number | null;
  /** The loop has begun. */
  began: number | null;
  /** The turn is over. */
  ended: number | null;
}

import type { GapPart } from "../gap-parts.ts";
import type { Wire } from "../wires/wire.ts";

/** An agent at its defaults. */
export interface Contender {
  /** The name with its version. */
  name: string;
  /** The packages to install: names with exact versions. */
  packages: readonly string[];
  wire: Wire;
  /** A pattern for the last text of its summary requests that declare tools. */
  summary: RegExp;
  open(place: Place): Promise<Opened>;
}

/** The places and limits that an agent is given. */
export interface Place {
  /** The folder with the installed packages. */
  installed: string;
  /** An empty folder for all that it stores. */
  folder: string;
  /** The provider: `http://ADDRESS:PORT`. */
  model: string;
  /** The model's window, in tokens. */
  window: number;
  /** The repository: contents by path. */
  files: ReadonlyMap<string, string>;
}

/** A running agent. */
export interface Opened {
  /** The repository's path in the agent's tools. */
  root: string;
  session(): Promise<Session>;
  /**
   * Returns the agent's own measurements of the time from responses to next requests; absent if it has none.
   */
  gapParts?(): Promise<GapPart[]>;
  close(): Promise<void>;
}

/** A conversation with the agent. */
export interface Session {
  /** Resolves when the agent has ended the turn. */
  send(message: string): Promise<void>;
  /** The agent's actions while nobody answers; none by default. */
  atRest?: {
    /** Milliseconds of the provider's clock after which it acts. */
    afterMs: number;
    /** Resolves when it is done, or will not happen. */
    done(): Promise<void>;
  };
  close(): Promise<void>;
}

import type { GapPart } from "../gap-parts.ts";
import type { Wire } from "../wires/wire.ts";

/** An agent at its defaults. */
export interface Contender {
  /** With its version. */
  name: string;
  /** What the bench installs for it: package names with exact versions. */
  packages: readonly string[];
  wire: Wire;
  /** In the last text of its requests for a summary that declare tools. */
  summary: RegExp;
  open(place: Place): Promise<Opened>;
}

export interface Place {
  /** The folder with the installed packages. */
  installed: string;
  /** An empty folder for all that it stores. */
  folder: string;
  /** The provider: `http://ADDRESS:PORT`. */
  model: string;
  /** Of the model, in tokens. */
  window: number;
  /** The repository: contents by path. */
  files: ReadonlyMap<string, string>;
}

export interface Opened {
  /** The repository, as the agent's tools name it. */
  root: string;
  session(): Promise<Session>;
  /** What the agent itself measured of the time from responses to next requests. Absent: it measures none. */
  gapParts?(): Promise<GapPart[]>;
  close(): Promise<void>;
}

export interface Session {
  /** Resolves when the agent has ended the turn. */
  send(message: string): Promise<void>;
  /** What the agent does by itself while nobody answers. Default: nothing. */
  atRest?: {
    /** After so many milliseconds of the provider's clock. */
    afterMs: number;
    /** Resolves when it is done, or will not be. */
    done(): Promise<void>;
  };
  close(): Promise<void>;
}

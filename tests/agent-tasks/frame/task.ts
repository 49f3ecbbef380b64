import type { AnyJson } from "../../acceptance/harness/api.ts";
import type { Seen } from "./seen.ts";
import type { World } from "./world.ts";

/** Decides what the model does next from what it sees; returns what it says at the end of its turn. */
export type Reader = (seen: Seen) => string;

export interface Turn {
  /** The user's message: a text, or blocks. */
  says: string | readonly AnyJson[];
  reader: Reader;
  /** What happens before the message is sent. */
  before?: (world: World) => Promise<void>;
  /** What happens while the turn runs. */
  during?: (world: World) => Promise<void>;
}

/** A piece of work on a small repository, whose result a hidden test judges. */
export interface Task {
  name: string;
  /** Of the repository, by path; it is cloned to `/data/NAME`. */
  files: Readonly<Record<string, string>>;
  turns: readonly Turn[];
  /**
   * A bash script that runs in the repository once the agent is done, and fails unless the work is right; `not COMMAND` fails
   * where the command succeeds. `pushed`: in a new clone of what was pushed.
   */
  hidden: string;
  judged?: "workspace" | "pushed";
  /** Of the agent, in tokens. Default: the model's own point. */
  compactAt?: number;
  /** How many compactions there are at least before the end. Default 0. */
  compactions?: number;
  /** Memories of a store, by path, that is mounted at `/mnt/memory/notes`. */
  memories?: Readonly<Record<string, string>>;
  /** It has a service of its own, which it may kill. */
  alone?: true;
}

/**
 * How a task is played. `usual`: as an agent is by default. `whole`: with the longest results, and no compaction. `unaided`: as
 * `usual`, with a reader that does nothing about what it lacks.
 */
export type Form = "usual" | "whole" | "unaided";

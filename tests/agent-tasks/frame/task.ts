import type { AnyJson } from "../../acceptance/harness/api.ts";
import type { Seen } from "./seen.ts";

/**
 * A function that decides what the model does next, from what it has seen. Returns the model's last words in
 * the turn.
 */
export type Reader = (seen: Seen) => string;

/** The events around a session, besides the user's messages. */
export interface World {
  /** Pushes a commit with these files to `main`, as the user. */
  push(files: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Lets the user be silent until the session has been summarised for that. Returns immediately in a form
   * without compactions.
   */
  silence(): Promise<void>;
  /** Kills the runner once a command of the session sleeps for this many seconds. */
  killWhileItSleeps(seconds: number): Promise<void>;
}

export interface Turn {
  /** The user's message: a text, or blocks. */
  says: string | readonly AnyJson[];
  reader: Reader;
  /** Runs before the message is sent. */
  before?: (world: World) => Promise<void>;
  /** Runs during the turn. */
  during?: (world: World) => Promise<void>;
}

/** A piece of work on a small repository, whose result a hidden test judges. */
export interface Task {
  name: string;
  /** The repository's files, by path. It is cloned to `/data/NAME`. */
  files: Readonly<Record<string, string>>;
  turns: readonly Turn[];
  /**
   * A bash script that judges the work after the agent is done. It must fail unless the work is right; `not
   * COMMAND` fails if the command succeeds. It runs in the repository or, with `pushed`, in a new clone of
   * the pushed state.
   */
  hidden: string;
  judged?: "workspace" | "pushed";
  /** The agent's `compact_at`, in tokens; the model's own by default. */
  compactAt?: number;
  /** The minimum number of compactions; 0 by default. */
  compactions?: number;
  /** The memories of a store, by path, which is mounted at `/mnt/memory/notes`. */
  memories?: Readonly<Record<string, string>>;
  /** Gives the task its own service, which it may kill. */
  alone?: true;
}

/**
 * The way a task is played. `usual` uses an agent's defaults. `whole` uses the longest results and no
 * compaction. `unaided` is `usual` with a reader that ignores notes.
 */
export type Form = "usual" | "whole" | "unaided";

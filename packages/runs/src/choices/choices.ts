import type { ChosenRuntimes, Devcontainer } from "@berth/contract";

/** What a session chose from its repositories, as it is stored. */
export interface Choices {
  /** Null when nothing was to be chosen. */
  runtimes: ChosenRuntimes | null;
  /** What the session follows of a repository's `devcontainer.json`; null when it reads none. */
  devcontainer: Devcontainer | null;
  /** The variables of that file, with their values, which no client is shown. */
  variables: Record<string, string>;
  /** The script that prepares that repository; null for none. */
  setup: string | null;
}

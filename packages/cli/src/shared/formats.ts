/** Output formats. `table` is for people, and is the default. */
export const FORMATS = ["table", "json", "yaml", "id"] as const;
export type Format = (typeof FORMATS)[number];

/** The options that `withOutput` adds to a command. */
export interface OutputOptions {
  output?: Format;
  /** Same as `output: "json"`. */
  json?: boolean;
  /** Whether to print nothing. */
  quiet?: boolean;
}

/** How data is printed. `table` is for people, and is the default. */
export const FORMATS = ["table", "json", "yaml", "id"] as const;
export type Format = (typeof FORMATS)[number];

/** The options that `withOutput` adds to a command. */
export interface OutputOptions {
  output?: Format;
  /** The same as `output: "json"`. */
  json?: boolean;
  /** Prints nothing. */
  quiet?: boolean;
}

import type { RuntimeName } from "@berth/contract";

/** An archive, or one program, that is fetched by https and has this digest. */
export interface Archive {
  url: string;
  /** `sha256-` or `sha512-` and the digest in hexadecimal digits. */
  digest: string;
  /** Directory of the runtime's tree for its contents, such as `lib/npm`; empty for the tree itself. */
  into: string;
  /** Number of leading components that are removed from the paths in the archive. */
  strip: number;
  /**
   * Names of programs and their paths in the archive's contents. Empty: the programs are those in the
   * directory `bin` of the tree.
   */
  programs: Readonly<Record<string, string>>;
}

/** The contents of a release: what a sandbox makes its tree from. */
export type Contents =
  | {
      from: "archives";
      archives: readonly Archive[];
      /** Hosts to which the servers of the archives redirect. */
      hosts: readonly string[];
    }
  /** Packages of a suite, with those that they need and the system does not have. apt verifies them. */
  | { from: "debian"; suite: string; packages: readonly string[] }
  /** Programs that the system of every sandbox has: names, and absolute paths. */
  | { from: "base"; programs: Readonly<Record<string, string>> };

/** A version of a runtime that this installation can have. */
export interface Release {
  runtime: RuntimeName;
  /** One to three numbers, such as `22.21.1` or `1.24`. */
  version: string;
  /** CPU architecture as Node.js names it. */
  architecture: string;
  /** The kind of its source: `npm`, `debian`, `url` or `base`. */
  source: string;
  contents: Contents;
}

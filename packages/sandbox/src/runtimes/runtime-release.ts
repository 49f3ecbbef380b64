import { createHash } from "node:crypto";

/** A version of a runtime, and what its tree is made from. */
export interface RuntimeRelease {
  /** Name such as `node`, `[a-z]+`. */
  runtime: string;
  /** One to three numbers. */
  version: string;
  contents:
    | {
        from: "archives";
        archives: readonly {
          /** https URL. */
          url: string;
          /** `sha256-` or `sha512-` and hexadecimal digits. */
          digest: string;
          into: string;
          strip: number;
          programs: Readonly<Record<string, string>>;
        }[];
        hosts: readonly string[];
      }
    | { from: "debian"; suite: string; packages: readonly string[] }
    | { from: "base"; programs: Readonly<Record<string, string>> };
}

/**
 * Returns the name of a release's tree: the runtime, its version, and a digest of its contents. What depends
 * on the system below also has that in the digest.
 *
 * @param system Name of the system of sandboxes.
 */
export function treeName({ runtime, version, contents }: RuntimeRelease, system: string): string {
  const below = contents.from === "archives" ? null : system;
  const digest = createHash("sha256")
    .update(JSON.stringify([2, contents, below]))
    .digest("hex");
  return `${runtime}-${version}-${digest.slice(0, 8)}`;
}

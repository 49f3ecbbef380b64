import { createGuardedFetch } from "@berth/egress";
import { type CatalogueDeps, runtimeSources } from "@berth/store/runtimes";
import type { Config } from "../config/config.ts";
import { outgoingProxies } from "../config/outgoing-proxies.ts";
import { readNamedFile } from "../config/read-named-file.ts";
import { readCaCertificates } from "./ca-certificates.ts";

/**
 * Returns where the versions of runtimes come from; null where sandboxes are pods, which cannot have them.
 *
 * @throws Error with one sentence for the operator when the file of the sources is wrong.
 */
export function runtimeSettings(
  config: Config,
): Pick<CatalogueDeps, "sources" | "fetch" | "npmRegistry"> | null {
  if (config.sandbox === "kubernetes") return null;
  const { egressAllowPrivate: allowPrivate, npmRegistry } = config;
  return {
    sources: readSources(config),
    fetch: createGuardedFetch({
      allowPrivate,
      authorities: readCaCertificates(config),
      proxies: outgoingProxies(config),
    }),
    npmRegistry,
  };
}

function readSources({ runtimesFile }: Config): CatalogueDeps["sources"] {
  if (runtimesFile === null) return runtimeSources(null);
  const what = "The sources of runtimes";
  const text = readNamedFile(runtimesFile, what);
  try {
    return runtimeSources(text);
  } catch (error) {
    throw new Error(`${what}: ${runtimesFile}: ${(error as Error).message}.`, { cause: error });
  }
}

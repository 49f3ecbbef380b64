import type { Config } from "../config/config.ts";
import { readNamedFile } from "../config/read-named-file.ts";

/** Reads the PEM certificates of authorities in the settings. @throws Error with one sentence. */
export function readCaCertificates(config: Config): string[] {
  const hosts = [...config.hostedProviders, ...config.gitCaFiles];
  const files = new Set(hosts.flatMap(({ ca_file: file }) => file ?? []));
  return [...files].map((file) => readNamedFile(file, "The certificates of a git server"));
}

import { readFile } from "node:fs/promises";
import type { Config } from "../config/config.ts";

/** Reads the PEM certificates of the certificate authorities that the settings name. */
export function readCaCertificates(config: Config): Promise<string[]> {
  const hosts = [...config.hostedProviders, ...config.gitCaFiles];
  const files = new Set(hosts.flatMap(({ ca_file: file }) => file ?? []));
  return Promise.all([...files].map((file) => readFile(file, "utf8")));
}

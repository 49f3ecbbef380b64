import { isHost, parseJson } from "./provider-settings.ts";

/** Certificates to trust inside sandboxes, for a host of repositories that is no hosted provider. */
export interface GitCaFile {
  /** With a port where it is not 443. */
  host: string;
  ca_file: string;
}

/** Reads `[{"host": …, "ca_file": …}]`. @throws what is wrong, in words. */
export function parseGitCaFiles(text: string): GitCaFile[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) throw new Error("must be a JSON array of {host, ca_file}");
  return value.map((item: unknown, index) => {
    const at = `[${index}]`;
    if (typeof item !== "object" || item === null) throw new Error(`${at} must be an object`);
    const unknown = Object.keys(item).find((key) => key !== "host" && key !== "ca_file");
    if (unknown !== undefined) throw new Error(`${at} has the unknown field ${unknown}`);
    const { host, ca_file: file } = item as Record<string, unknown>;
    if (typeof host !== "string" || !isHost(host)) {
      throw new Error(`${at}.host must be a host in lower case, with a port where it is not 443`);
    }
    if (typeof file !== "string" || file === "") throw new Error(`${at}.ca_file must be the name of a file`);
    return { host, ca_file: file };
  });
}

/** Reads hosts that may be spoken to over http, each with its port where it is not 80. @throws what is wrong, in words. */
export function parseHttpHosts(text: string): string[] {
  const hosts = text.split(/[\s,]+/).filter((item) => item !== "");
  const wrong = hosts.find((host) => !isHost(host, "http"));
  if (wrong === undefined) return hosts;
  throw new Error(`'${wrong}' is not a host in lower case, with a port where it is not 80`);
}

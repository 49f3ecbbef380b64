import type { GuardedFetch } from "@berth/egress";
import { compareVersions } from "./versions.ts";

/** One version of an npm package. */
export interface NpmVersion {
  version: string;
  url: string;
  digest: string;
}

const MAX_BYTES = 64 * 1024 * 1024;
const PLAIN = /^\d+\.\d+\.\d+$/;
/** The form of lists for installers, a tenth of the whole. */
const ACCEPT = "application/vnd.npm.install-v1+json";

/**
 * Returns the versions of a package that a registry lists, newest first, without pre-releases and those
 * without a SHA-512. A package that the registry does not have has none.
 *
 * @param registry https URL.
 * @throws Error with a clause when the registry does not answer with a list.
 */
export async function npmVersions(
  fetch: GuardedFetch,
  registry: string,
  name: string,
  signal: AbortSignal,
): Promise<NpmVersion[]> {
  const { host } = new URL(registry);
  const url = `${registry.replace(/\/$/, "")}/${name.replace("/", "%2f")}`;
  const response = await fetch(url, { headers: { accept: ACCEPT }, signal }).catch((error: unknown) => {
    throw new Error(`${host} did not answer`, { cause: error });
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    if (response.status === 404) return [];
    throw new Error(`${host} answered with status ${response.status} for ${name}`);
  }
  const versions = versionsOf(await readBody(response, host));
  if (versions === null) throw new Error(`${host} did not answer with the versions of ${name}`);
  return versions.toSorted((one, other) => compareVersions(other.version, one.version));
}

async function readBody(response: Response, host: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      bytes += part.length;
      if (bytes > MAX_BYTES) throw new Error("the answer is too long");
      parts.push(part);
    }
  } catch (error) {
    throw new Error(`the answer of ${host} could not be read`, { cause: error });
  }
  return Buffer.concat(parts).toString();
}

/** Returns null for what is no list. A version with other fields than expected is left out. */
function versionsOf(text: string): NpmVersion[] | null {
  let list: { versions?: unknown };
  try {
    list = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof list?.versions !== "object" || list.versions === null) return null;
  return Object.entries(list.versions as Record<string, { dist?: Record<string, unknown> }>).flatMap(
    ([version, { dist = {} }]) => {
      const url = httpsUrl(dist.tarball);
      const digest = sha512(dist.integrity);
      return PLAIN.test(version) && url !== null && digest !== null ? [{ version, url, digest }] : [];
    },
  );
}

/** Returns an https URL without a login in its normal form, without spaces; null for anything else. */
function httpsUrl(value: unknown): string | null {
  const url = URL.parse(String(value));
  return url?.protocol === "https:" && url.username === "" && url.password === "" ? url.href : null;
}

function sha512(value: unknown): string | null {
  const [, base64] = /(?:^|\s)sha512-([\w+/]{86}==)/.exec(String(value)) ?? [];
  return base64 === undefined ? null : `sha512-${Buffer.from(base64, "base64").toString("hex")}`;
}

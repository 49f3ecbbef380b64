import type { GuardedFetch } from "@berth/egress";
import type { RepositoryAccess } from "../repository/repository.ts";
import { basicAuthorization } from "../repository/repository-environment.ts";
import { DELIMITER, encodeLine, FLUSH } from "./pkt-line.ts";
import { type Capabilities, readCapabilities, readRefs } from "./read-refs.ts";
import type { RemoteRefs } from "./remote-refs.ts";

/** Enough for a hundred thousand refs. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ADVERTISED_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_KNOWN = 10_000;

type ListedRepository = Pick<RepositoryAccess, "url" | "username" | "secret">;

/**
 * Lists the branches and tags that a repository's host currently shows to a credential; see `createListRefs`.
 */
export type ListRefs = (repository: ListedRepository, signal?: AbortSignal) => Promise<RemoteRefs | null>;

/**
 * Creates a function that lists refs by version 2 of git's HTTP protocol. It returns null for any failure: no
 * access, no repository, another protocol version, a list that is too long or too slow, an unreachable host.
 * It never rejects; a clone will report the error.
 *
 * A repository's capabilities are requested once and cached. Later calls need one request instead of two, and
 * the host authorizes each by its credential.
 *
 * @param fetch A fetch that does not follow redirects.
 */
export function createListRefs(fetch: GuardedFetch): ListRefs {
  const known = new Map<string, Capabilities>();
  return async (repository, signal) => {
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    const host = askHost(fetch, repository, signal ? AbortSignal.any([deadline, signal]) : deadline);
    const { url } = repository;
    try {
      const remembered = known.get(url);
      known.delete(url);
      const listed = remembered ? await host.refs(remembered) : null;
      // The cached capabilities may be outdated, so they are requested again.
      const capabilities = listed !== null && remembered ? remembered : await host.capabilities();
      const refs = listed ?? (capabilities && (await host.refs(capabilities)));
      if (refs !== null && capabilities !== null) known.set(url, capabilities);
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
      return refs;
    } catch {
      return null;
    }
  };
}

/**
 * Returns the two requests. Each returns null for an unexpected response, and rejects when the host is
 * unreachable.
 */
function askHost(fetch: GuardedFetch, repository: ListedRepository, signal: AbortSignal) {
  const url = repository.url.replace(/\/$/, "");
  const login = basicAuthorization(repository);
  const headers = {
    "git-protocol": "version=2",
    "user-agent": "git/2 (berth)",
    ...(login === null ? {} : { authorization: login }),
  };
  return {
    async capabilities(): Promise<Capabilities | null> {
      const response = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers, signal });
      const advertisement = await bodyOf(response, "advertisement", MAX_ADVERTISED_BYTES, signal);
      return advertisement && readCapabilities(advertisement);
    },
    async refs(capabilities: Capabilities): Promise<RemoteRefs | null> {
      const response = await fetch(`${url}/git-upload-pack`, {
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/x-git-upload-pack-request",
          accept: "application/x-git-upload-pack-result",
        },
        body: request(capabilities),
        signal,
      });
      const list = await bodyOf(response, "result", MAX_BYTES, signal);
      return list && (await readRefs(list, capabilities));
    },
  };
}

function request({ objectFormat }: Capabilities): string {
  return [
    encodeLine("command=ls-refs\n"),
    encodeLine("agent=git/2-berth\n"),
    encodeLine(`object-format=${objectFormat}\n`),
    DELIMITER,
    encodeLine("symrefs\n"),
    ...["HEAD", "refs/heads/", "refs/tags/"].map((prefix) => encodeLine(`ref-prefix ${prefix}\n`)),
    FLUSH,
  ].join("");
}

/**
 * Reads a body. Returns null for a response of another status or type, and for one that is too long, which is
 * not read to its end.
 */
async function bodyOf(
  response: Response,
  kind: "advertisement" | "result",
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const type = response.headers.get("content-type");
  if (response.status !== 200 || type !== `application/x-git-upload-pack-${kind}` || response.body === null) {
    await response.body?.cancel();
    return null;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes || signal.aborted) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

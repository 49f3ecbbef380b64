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

/** Lists the branches and tags that a repository's host shows to a credential now; see `createListRefs`. */
export type ListRefs = (repository: ListedRepository, signal?: AbortSignal) => Promise<RemoteRefs | null>;

/**
 * Lists refs by version 2 of git's protocol over HTTP. Returns null for any failure: no access, no repository, another version of the
 * protocol, a list that is too long or too slow, a host that cannot be reached. Never rejects; a clone will report the error.
 *
 * What a repository offers is asked once and remembered: from then on it is asked one question instead of two, which its host
 * answers by the credential that comes with it.
 *
 * @param fetch must not follow redirects.
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
      // A host that has changed is asked anew.
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

/** The two questions. Each answers null where the host says something else; they reject when it cannot be reached. */
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

/** Returns null for a response of another status or type, and for one that is too long, which is not read to its end. */
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

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

export interface ListOptions {
  /** Must not follow redirects. */
  fetch: GuardedFetch;
  signal?: AbortSignal;
}

/**
 * Lists the branches and tags that a repository's host shows to this credential now, by version 2 of git's protocol over HTTP. Returns
 * null for any failure: no access, no repository, another version of the protocol, a list that is too long or too slow, a host that
 * cannot be reached. Never rejects; a clone will report the error.
 */
export async function listRefs(
  repository: Pick<RepositoryAccess, "url" | "username" | "secret">,
  { fetch, signal }: ListOptions,
): Promise<RemoteRefs | null> {
  const url = repository.url.replace(/\/$/, "");
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const stopped = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  const login = basicAuthorization(repository);
  const headers = {
    "git-protocol": "version=2",
    "user-agent": "git/2 (berth)",
    ...(login === null ? {} : { authorization: login }),
  };
  try {
    const advertised = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers, signal: stopped });
    const advertisement = await bodyOf(advertised, "advertisement", MAX_ADVERTISED_BYTES, stopped);
    const capabilities = advertisement && readCapabilities(advertisement);
    if (capabilities === null) return null;
    const response = await fetch(`${url}/git-upload-pack`, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/x-git-upload-pack-request",
        accept: "application/x-git-upload-pack-result",
      },
      body: request(capabilities),
      signal: stopped,
    });
    const list = await bodyOf(response, "result", MAX_BYTES, stopped);
    return list && (await readRefs(list, capabilities));
  } catch {
    return null;
  }
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

import type { GuardedFetch } from "@berth/egress";
import type { RepositoryAccess } from "../repository/repository.ts";
import { basicLogin } from "../repository/repository-environment.ts";
import { delimiter, flush, line } from "./pkt-line.ts";
import { type Capabilities, readCapabilities, readRefs } from "./read-refs.ts";
import type { RemoteRefs } from "./remote-refs.ts";

/** More than a hundred thousand refs take. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_ADVERTISED_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;

export interface ListOptions {
  /** It has to follow no redirect. */
  fetch: GuardedFetch;
  signal?: AbortSignal;
}

/**
 * Asks a repository's host for its branches and tags, with this credential and at this moment, by version 2 of git's protocol
 * over http. Null for whatever else comes than a whole list: no access, no repository, another version of the protocol,
 * too much of it, too slow, a host that cannot be reached. Never rejects: a clone tells why.
 */
export async function listRefs(
  repository: Pick<RepositoryAccess, "url" | "username" | "secret">,
  { fetch, signal }: ListOptions,
): Promise<RemoteRefs | null> {
  const url = repository.url.replace(/\/$/, "");
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const until = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  const login = basicLogin(repository);
  const headers = {
    "git-protocol": "version=2",
    "user-agent": "git/2 (berth)",
    ...(login === null ? {} : { authorization: login }),
  };
  try {
    const advertised = await fetch(`${url}/info/refs?service=git-upload-pack`, { headers, signal: until });
    const offer = await bodyOf(advertised, "advertisement", MAX_ADVERTISED_BYTES, until);
    const capabilities = offer && readCapabilities(offer);
    if (capabilities === null) return null;
    const answer = await fetch(`${url}/git-upload-pack`, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/x-git-upload-pack-request",
        accept: "application/x-git-upload-pack-result",
      },
      body: request(capabilities),
      signal: until,
    });
    const list = await bodyOf(answer, "result", MAX_BYTES, until);
    return list && (await readRefs(list, capabilities));
  } catch {
    return null;
  }
}

function request({ objectFormat }: Capabilities): string {
  return [
    line("command=ls-refs\n"),
    line("agent=git/2-berth\n"),
    line(`object-format=${objectFormat}\n`),
    delimiter,
    line("symrefs\n"),
    ...["HEAD", "refs/heads/", "refs/tags/"].map((prefix) => line(`ref-prefix ${prefix}\n`)),
    flush,
  ].join("");
}

/** Null for another answer than a good one of this kind, or one that is too long, which is not read to its end. */
async function bodyOf(
  answer: Response,
  kind: "advertisement" | "result",
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const type = answer.headers.get("content-type");
  if (answer.status !== 200 || type !== `application/x-git-upload-pack-${kind}` || answer.body === null) {
    await answer.body?.cancel();
    return null;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > most || signal.aborted) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

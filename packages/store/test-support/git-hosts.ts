import { readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import type { ConnectionAuth } from "@berth/contract";
import { createGuardedFetch } from "@berth/egress";
import { startGitHost, type GitHost as TestHost } from "../../../tests/git-host/git-host.ts";
import type { Asker } from "../src/git-hosts/ask-host.ts";
import type { GitHost } from "../src/git-hosts/git-host.ts";
import { openGitHost } from "../src/git-hosts/open-git-host.ts";

export interface HostBench {
  host: TestHost;
  /** Returns the number of requests that have come. */
  asked(): number;
  /** Answers every request with this status until it is null again. */
  failWith(status: number | null, headers?: Record<string, string>): void;
  /** Opens the host as a connection does. @param apiPath the path of its API; null for none. */
  open(auth: ConnectionAuth, secret: string, apiPath: string | null, asker?: Asker): GitHost;
}

/** Starts a git host with `acme/widget`, `acme/gadget` and `other/lib`, and its APIs. */
export async function hostBench(t: TestContext): Promise<HostBench> {
  let fault: { status: number; headers: Record<string, string> } | null = null;
  let asked = 0;
  const host = await startGitHost({
    intercept: (_request, response) => {
      asked += 1;
      if (fault === null) return false;
      response.writeHead(fault.status, fault.headers).end("a text with a secret");
      return true;
    },
  });
  t.after(() => host.stop());
  const files = { "README.md": "# Widget\n" };
  for (const [org, name] of [
    ["acme", "widget"],
    ["acme", "gadget"],
    ["other", "lib"],
  ] as const)
    await host.createRepository({ org, name, private: true, files });
  const fetch = createGuardedFetch({
    allowPrivate: [host.host],
    authorities: [readFileSync(host.caFile, "utf8")],
  });
  return {
    host,
    asked: () => asked,
    failWith: (status, headers = {}) => {
      fault = status === null ? null : { status, headers };
    },
    open: (auth, secret, apiPath, asker) =>
      openGitHost(fetch, {
        ...{ url: host.url, apiUrl: apiPath === null ? null : `${host.url}${apiPath}`, auth, secret },
        ...(asker !== undefined && { asker }),
      }),
  };
}

/** Clones with a token. Resolves with whether the host let it. */
export async function mayRead(host: TestHost, repository: string, token: string): Promise<boolean> {
  return (await refs(host, repository, token, "git-upload-pack")) === 200;
}

/** Asks to push with a token. Resolves with whether the host let it. */
export async function mayPush(host: TestHost, repository: string, token: string): Promise<boolean> {
  return (await refs(host, repository, token, "git-receive-pack")) === 200;
}

async function refs(host: TestHost, repository: string, token: string, service: string): Promise<number> {
  const fetch = createGuardedFetch({
    allowPrivate: [host.host],
    authorities: [readFileSync(host.caFile, "utf8")],
  });
  const authorization = `Basic ${Buffer.from(`x:${token}`).toString("base64")}`;
  const url = `${host.url}/${repository}.git/info/refs?service=${service}`;
  const response = await fetch(url, { headers: { authorization } });
  await response.text();
  return response.status;
}

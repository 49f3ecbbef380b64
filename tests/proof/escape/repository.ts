import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../acceptance/harness/api.ts";
import { providerSettings } from "../../acceptance/harness/provider-settings.ts";
import { startGitHost } from "../../git-host/git-host.ts";

/** A private repository on a separate git server. */
export interface Repository {
  url: string;
  token: string;
  /** The session resource that mounts it at `/data/repository`. */
  resource: Json;
  /** The settings of a service that can clone it. */
  settings: Record<string, string>;
  close(): Promise<void>;
}

/** Starts the git server with the repository. */
export async function startRepository(): Promise<Repository> {
  const dir = await mkdtemp(join(tmpdir(), "git-host-"));
  const host = await startGitHost({ dir });
  await host.createRepository({ org: "acme", name: "probed", private: true, files: { "a.txt": "a\n" } });
  const token = host.createToken({ user: "robot", permissions: "write" });
  const url = `${host.url}/acme/probed`;
  return {
    url,
    token,
    resource: {
      type: "hosted_repository",
      url,
      mount_path: "/data/repository",
      authorization_token: token,
    },
    settings: providerSettings(host),
    async close() {
      await host.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

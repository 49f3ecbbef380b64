import type { GitHost } from "../../git-host/git-host.ts";

/** Returns settings that make git hosts hosted providers and let sandboxes connect to them. */
export function providerSettings(...hosts: GitHost[]): Record<string, string> {
  const providers = hosts.map(({ host, caFile }) => ({ host, token_env: ["GH_TOKEN"], ca_file: caFile }));
  return {
    BERTH_HOSTED_PROVIDERS: JSON.stringify(providers),
    BERTH_EGRESS_ALLOW_PRIVATE: hosts.map(({ host }) => host).join(","),
  };
}

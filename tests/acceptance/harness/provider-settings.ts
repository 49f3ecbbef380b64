import type { GitHost } from "../../git-host/git-host.ts";

/** Returns settings that make a git host a hosted provider and let sandboxes connect to it. */
export function providerSettings({ host, caFile }: GitHost): Record<string, string> {
  const provider = { host, token_env: ["GH_TOKEN"], ca_file: caFile };
  return { BERTH_HOSTED_PROVIDERS: JSON.stringify([provider]), BERTH_EGRESS_ALLOW_PRIVATE: host };
}

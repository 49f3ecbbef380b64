import type { GitHost } from "../../git-host/git-host.ts";

/** The settings of a service to which a git host is a hosted provider, which its sandboxes may reach. */
export function providerSettings({ host, caFile }: GitHost): Record<string, string> {
  const provider = { host, token_env: ["GH_TOKEN"], ca_file: caFile };
  return { BERTH_HOSTED_PROVIDERS: JSON.stringify([provider]), BERTH_EGRESS_ALLOW_PRIVATE: host };
}

import { allowedFetch, allowsUrl, type EgressDenied, type GuardedFetch } from "@berth/egress";
import type { RunSession } from "../inputs/session-inputs-store.ts";

/**
 * Returns the fetch for one MCP server of a session. Each request is checked against the present networking
 * of the session's environment. Denied requests are reported, whatever denies them.
 */
export function sessionFetch(
  fetch: GuardedFetch,
  session: Pick<RunSession, "networking">,
  serverUrl: string,
  report: (denied: EgressDenied) => void,
): GuardedFetch {
  const { origin } = new URL(serverUrl);
  const allows = (url: URL): boolean => {
    const { networking } = session;
    if (networking.type === "unrestricted") return url.origin === origin;
    if (networking.allow_mcp_servers && url.origin === origin) return true;
    return allowsUrl({ mode: "limited", hosts: networking.allowed_hosts }, url);
  };
  return allowedFetch(fetch, {
    allows,
    onDenied: report,
    deniedMessage: "The networking of the session's environment does not allow its host.",
  });
}

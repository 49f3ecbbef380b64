import { allowedFetch, allowsUrl, type EgressDenied, type GuardedFetch } from "@berth/egress";
import type { RunSession } from "../inputs/session-inputs.ts";

/**
 * The fetch for one MCP server of a session. Each request is held to what the networking of the session's environment says
 * at that moment, and what is refused is reported, also where the operator's list or the address refuses it.
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
  return allowedFetch(fetch, allows, report);
}

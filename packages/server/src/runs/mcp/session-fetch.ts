import { AddressRefused, allowsUrl, type EgressDenied, type GuardedFetch } from "@berth/sandbox";
import type { RunSession } from "../run-store.ts";

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
  return async (given, init) => {
    const url = new URL(given);
    try {
      if (!isAllowed(session, serverUrl, url)) {
        const message = "The networking of the session's environment does not allow its host.";
        throw new AddressRefused(message, url, "not_allowed");
      }
      return await fetch(url, init);
    } catch (error) {
      if (error instanceof AddressRefused) report(error.denied);
      throw error;
    }
  };
}

/** What the operator says is looked at as the address is dialled. */
function isAllowed({ networking }: Pick<RunSession, "networking">, serverUrl: string, url: URL): boolean {
  const isServer = url.origin === new URL(serverUrl).origin;
  if (networking.type === "unrestricted") return isServer;
  if (networking.allow_mcp_servers && isServer) return true;
  return allowsUrl({ mode: "limited", hosts: networking.allowed_hosts }, url);
}

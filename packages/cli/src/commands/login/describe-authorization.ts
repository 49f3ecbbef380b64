import type { DeviceAuthorization } from "@berth/sdk";
import { plainLine } from "../../terminal/plain-text.ts";

/** Describes a client that requests a token, as several lines. The name is the client's own claim. */
export function describeAuthorization({
  client_name: name,
  client_address: address,
  scopes,
  expires_at: until,
}: DeviceAuthorization): string[] {
  return [
    `requested by: ${name ?? "(no name given)"}`,
    `from:     ${address}`,
    `for:      ${scopesOf(scopes)}`,
    `until:    ${until}`,
  ].map(plainLine);
}

export function approvedLine({ granted_scopes: scopes }: DeviceAuthorization): string {
  return plainLine(`Approved, for ${scopesOf(scopes ?? [])}. The device gets its token within seconds.`);
}

export const DENIED_LINE = "Denied. The device gets no token.";

function scopesOf(scopes: readonly string[]): string {
  return scopes.includes("*") ? "every scope" : scopes.join(", ");
}

import type { CallRow } from "./view.ts";

/**
 * Returns how long a call waited for an answer and how long it ran, in seconds; null for what did not happen
 * or is not over.
 */
export function callTimes({ use, confirmation, result }: Pick<CallRow, "use" | "confirmation" | "result">): {
  waited: number | null;
  ran: number | null;
} {
  const end = result?.created_at ?? null;
  if (use.type === "agent.custom_tool_use") return { waited: since(use.created_at, end), ran: null };
  if (confirmation === null) return { waited: null, ran: since(use.created_at, end) };
  const waited = since(use.created_at, confirmation.created_at);
  if (confirmation.result === "deny") return { waited, ran: null };
  return { waited, ran: since(confirmation.created_at, end) };
}

function since(from: string, to: string | null): number | null {
  return to === null ? null : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}

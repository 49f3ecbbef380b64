import { MAX_AGENT_BYTES } from "@berth/contract";
import { errors } from "@berth/store/errors";
import type { AgentDefinition } from "./agent-store.ts";

/**
 * Checks an agent's size: each of its sessions stores a copy, and lists of sessions contain it.
 *
 * @throws errors.agentTooLarge, which names the largest field.
 */
export function checkAgentSize(definition: AgentDefinition): void {
  const sizes = Object.entries(definition).map(([name, value]) => ({ name, bytes: jsonBytes(value) }));
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  const total = jsonBytes(definition);
  if (total > MAX_AGENT_BYTES && largest !== undefined) throw errors.agentTooLarge(total, largest);
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

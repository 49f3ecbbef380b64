import { type Mask, maskedValue } from "../lease/mask-draft.ts";

interface OfferedTools {
  /** As the server sent them. */
  tools: readonly unknown[];
  /** Tools that are left out, by their place in the list: their names would tell. */
  hidden: { tool: string; reason: string }[];
}

/**
 * A server's tools without the session's secrets, which it knows or echoes: they are stored, and the model reads them. A tool
 * cannot be called by another name than its own, so one with a secret in its name is left out.
 */
export function withoutSecrets(tools: readonly unknown[], mask: Mask): OfferedTools {
  const offered: { tools: unknown[]; hidden: OfferedTools["hidden"] } = { tools: [], hidden: [] };
  for (const [index, tool] of tools.entries()) {
    const masked = maskedValue(tool, mask);
    if (nameOf(masked) === nameOf(tool)) offered.tools.push(masked);
    else
      offered.hidden.push({
        tool: `number ${index + 1} of its list`,
        reason: "its name has a secret of this session",
      });
  }
  return offered;
}

function nameOf(tool: unknown): unknown {
  return typeof tool === "object" && tool !== null && "name" in tool ? tool.name : undefined;
}

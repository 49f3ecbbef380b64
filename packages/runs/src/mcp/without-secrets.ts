import { type Mask, maskedValue } from "../lease/mask-draft.ts";

interface OfferedTools {
  /** The tools as the server sent them, with secrets masked. */
  tools: readonly unknown[];
  /** Tools that are left out, by their place in the list, because their names contain secrets. */
  hidden: { tool: string; reason: string }[];
}

/**
 * Returns a server's tools without the session's secrets, which the server may know or echo: the tools are
 * stored, and the model reads them. A tool with a secret in its name is left out, since it can only be called
 * by that name.
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

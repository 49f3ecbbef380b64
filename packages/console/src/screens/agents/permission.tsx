import { Badge } from "../../ui/badge.tsx";
import type { Choice } from "../../ui/select.tsx";
import type { ToolState } from "./form.ts";

const LOOKS = {
  always_allow: { tone: "ok", label: "Allowed" },
  always_ask: { tone: "warn", label: "Asks first" },
  always_deny: { tone: "bad", label: "Denied" },
  off: { tone: "neutral", label: "Off" },
} as const;

/** Shows the permission of a tool's calls. */
export function PermissionBadge({ state }: { state: ToolState }) {
  return <Badge tone={LOOKS[state].tone}>{LOOKS[state].label}</Badge>;
}

export const STATE_CHOICES: readonly Choice<ToolState>[] = [
  { value: "always_allow", label: "Allowed", about: "Calls run at once" },
  { value: "always_ask", label: "Asks first", about: "A person confirms each call" },
  { value: "always_deny", label: "Denied", about: "The agent sees the tool, but each call is refused" },
  { value: "off", label: "Off", about: "The agent does not get the tool" },
];

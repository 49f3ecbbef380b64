import type { Deployment } from "@berth/sdk";
import { Badge } from "../../ui/badge.tsx";

/** Shows whether a deployment runs. */
export function StatusBadge({ deployment }: { deployment: Deployment }) {
  if (deployment.archived_at !== null) return <Badge>Archived</Badge>;
  return deployment.status === "active" ? (
    <Badge tone="ok" dot>
      Active
    </Badge>
  ) : (
    <Badge tone="warn" dot>
      Paused
    </Badge>
  );
}

import { Link } from "@tanstack/react-router";
import { useDeploymentName } from "../api/queries/deployments.ts";
import { showUnseen } from "../format/visible-text.ts";
import { Icon } from "../ui/icon.tsx";

/** Shows that a deployment created a session, as a link to it; nothing for sessions of none. */
export function DeploymentMark({ id }: { id: string | null }) {
  return id !== null && <Mark id={id} />;
}

function Mark({ id }: { id: string }) {
  const name = useDeploymentName(id);
  const label = name === undefined ? "By a deployment" : `By the deployment ${showUnseen(name)}`;
  return (
    <Link
      to="/deployments/$deploymentId"
      params={{ deploymentId: id }}
      aria-label={label}
      title={label}
      // Above the link that covers a whole row.
      className="relative z-10 inline-flex size-6 shrink-0 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
    >
      <Icon name="clock" className="size-3.5" />
    </Link>
  );
}

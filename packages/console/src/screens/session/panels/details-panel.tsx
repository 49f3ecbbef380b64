import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { useDeploymentName } from "../../../api/queries/deployments.ts";
import { environmentQuery } from "../../../api/queries/environments.ts";
import { formatSeconds } from "../../../format/time.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { ObjectLink } from "../../../shell/object-link.tsx";
import { CallPanel } from "../../../ui/call-panel.tsx";
import { CopyId } from "../../../ui/copy.tsx";
import { JsonView } from "../../../ui/json-view.tsx";
import { Ago } from "../../../ui/moment.tsx";
import { Owner } from "../../../ui/owner.tsx";
import { Fact, Facts, Section } from "../../../ui/section.tsx";
import { useSession } from "../scope/session-context.ts";

/** Shows the session's parts, ids to copy, JSON, and commands to use it elsewhere. */
export function DetailsPanel() {
  const { session } = useSession();
  const { data: environment, isError } = useQuery(environmentQuery(session.environment_id));
  const { agent, stats } = session;
  return (
    <div className="h-full overflow-y-auto">
      <Section title="Session">
        <Facts>
          <Fact name="Id">
            <CopyId id={session.id} />
          </Fact>
          <Fact name="Created">
            <Ago at={session.created_at} />
          </Fact>
          <Fact name="Active">{formatSeconds(stats.active_seconds)}</Fact>
          <Fact name="Owner">
            <Owner id={session.owner_id} />
          </Fact>
          {session.deployment_id !== null && (
            <Fact name="Deployment">
              <DeploymentName id={session.deployment_id} />
            </Fact>
          )}
          {Object.entries(session.metadata).map(([name, value]) => (
            <Fact key={name} name={showUnseen(name)}>
              {showUnseen(value)}
            </Fact>
          ))}
        </Facts>
      </Section>
      <Section title="Agent">
        <Facts>
          <Fact name="Name">
            {showUnseen(agent.name)} <span className="text-faint">version {agent.version}</span>
          </Fact>
          <Fact name="Id">
            <CopyId id={agent.id} />
          </Fact>
          <Fact name="Model">
            <span className="font-mono text-xs">{agent.model.id}</span>
            {agent.model.effort !== undefined && (
              <span className="text-faint"> {agent.model.effort} effort</span>
            )}
          </Fact>
          {agent.skills.length > 0 && (
            <Fact name="Skills">{agent.skills.map(({ name }) => name).join(", ")}</Fact>
          )}
          {agent.mcp_servers.length > 0 && (
            <Fact name="MCP servers">{agent.mcp_servers.map(({ name }) => name).join(", ")}</Fact>
          )}
        </Facts>
      </Section>
      <Section title="Environment">
        <Facts>
          <Fact name="Name">
            {environment === undefined
              ? isError
                ? "not shared with you"
                : "…"
              : showUnseen(environment.name)}
          </Fact>
          <Fact name="Id">
            <CopyId id={session.environment_id} />
          </Fact>
          {session.vault_ids.length > 0 && (
            <Fact name="Vaults">
              {session.vault_ids.map((id) => (
                <CopyId key={id} id={id} />
              ))}
            </Fact>
          )}
        </Facts>
      </Section>
      <Section title="CLI and curl commands">
        <CallPanel call={{ operation: operations.sessions.get, params: { session_id: session.id } }} />
      </Section>
      <Section title="JSON">
        <JsonView value={session} />
      </Section>
    </div>
  );
}

function DeploymentName({ id }: { id: string }) {
  const name = useDeploymentName(id);
  return (
    <ObjectLink id={id} className="text-accent-text hover:underline">
      {showUnseen(name ?? id)}
    </ObjectLink>
  );
}

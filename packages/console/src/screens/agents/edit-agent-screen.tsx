import type { Agent } from "@berth/sdk";
import { ConflictError } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { agentQuery } from "../../api/queries/agents.ts";
import { modelsQuery } from "../../api/queries/models.ts";
import { queryClient } from "../../api/query-client.ts";
import { Loaded } from "../../shell/loaded.tsx";
import { ObjectHeading } from "../../shell/object-page.tsx";
import { Page } from "../../shell/page.tsx";
import { Button } from "../../ui/button.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { AgentEditor } from "./agent-editor.tsx";
import { type AgentForm, changeOf, formOf } from "./form.ts";

const route = getRouteApi("/agents/$agentId/edit");

/** Edits an agent. Saving creates a version. */
export function EditAgentScreen() {
  const { agentId } = route.useParams();
  const agent = useQuery(agentQuery(agentId));
  const models = useQuery(modelsQuery);
  const query = { ...agent, data: models.data && agent.data && { agent: agent.data, models: models.data } };
  return (
    <Loaded query={query} title="Edit agent">
      {(data) => <EditAgent key={agentId} {...data} />}
    </Loaded>
  );
}

type Props = { agent: Agent; models: readonly { id: string; effective_context_window: number }[] };

function EditAgent({ agent, models }: Props) {
  const navigate = useNavigate();
  const draft = useFormDraft<AgentForm>(`agent ${agent.id}`, formOf(agent, models));
  const { form, change } = draft;
  if (form === null) return null;
  const isStale = form.version !== agent.version;
  return (
    <Page
      title={`Edit ${agent.name}`}
      heading={<ObjectHeading list={{ name: "Agents", to: "/agents" }} name={agent.name} />}
      about={<span className="truncate text-xs text-faint">Saving makes version {agent.version + 1}</span>}
    >
      <AgentEditor
        form={form}
        change={change}
        discard={draft.changed ? draft.reset : undefined}
        verb="Save"
        changes={agent.id}
        send={async (current) => {
          try {
            return await berth.agents.update(agent.id, changeOf(agent, current, models));
          } catch (error) {
            if (error instanceof ConflictError)
              await queryClient.invalidateQueries({ queryKey: ["agents", agent.id] });
            throw error;
          }
        }}
        bodyOf={(current) => changeOf(agent, current, models)}
        onSaved={async (saved) => {
          draft.reset();
          queryClient.setQueryData(agentQuery(agent.id).queryKey, saved);
          void queryClient.invalidateQueries({ queryKey: ["agents"] });
          await navigate({ to: "/agents/$agentId", params: { agentId: agent.id } });
        }}
      >
        {isStale && (
          <p className="mt-4 flex flex-wrap items-center gap-3 rounded-lg border border-line bg-warn-soft px-3 py-2.5">
            <span className="min-w-0 flex-1">
              Version {agent.version} was saved while you were editing version {form.version}.
            </span>
            <Button size="small" onClick={() => change({ version: agent.version })}>
              Apply my changes to version {agent.version}
            </Button>
          </p>
        )}
      </AgentEditor>
    </Page>
  );
}

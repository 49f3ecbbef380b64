import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { agentQuery } from "../../api/queries/agents.ts";
import { initialModel, modelsQuery } from "../../api/queries/models.ts";
import { queryClient } from "../../api/query-client.ts";
import { Page } from "../../shell/page.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { AgentEditor } from "./agent-editor.tsx";
import { type AgentForm, bodyOf, EMPTY_FORM, formOf } from "./form.ts";

const route = getRouteApi("/agents/new");

/** Shows the form of a new agent, empty or copied from another one. */
export function NewAgentScreen() {
  const { like } = route.useSearch();
  return <NewAgent key={like ?? ""} like={like} />;
}

function NewAgent({ like }: { like: string | undefined }) {
  const navigate = useNavigate();
  const { data: models } = useQuery(modelsQuery);
  const model = useQuery({ ...agentQuery(like ?? ""), enabled: like !== undefined });
  const draft = useFormDraft<AgentForm>(
    `new agent ${like ?? ""}`,
    like === undefined
      ? EMPTY_FORM
      : model.data &&
          models && {
            ...formOf(model.data, models),
            base: null,
            version: null,
            name: `${model.data.name} copy`,
          },
  );
  const form = draft.form && { ...draft.form, model: draft.form.model ?? initialModel(models) };
  return (
    <Page title="New agent">
      {model.error !== null && <ErrorBox error={model.error} className="m-6" />}
      {form !== null && (
        <AgentEditor
          form={form}
          change={draft.change}
          discard={draft.changed ? draft.reset : undefined}
          verb="Create agent"
          send={async (form) => await berth.agents.create(bodyOf(await withModel(form)))}
          onSaved={async (agent) => {
            draft.reset();
            void queryClient.invalidateQueries({ queryKey: ["agents"] });
            await navigate({ to: "/agents/$agentId", params: { agentId: agent.id } });
          }}
        />
      )}
    </Page>
  );
}

/** Sets the default model if none is chosen, and waits until the models have loaded. */
async function withModel(form: AgentForm): Promise<AgentForm> {
  return form.model === null
    ? { ...form, model: initialModel(await queryClient.ensureQueryData(modelsQuery)) }
    : form;
}

import { operations } from "@berth/sdk/operations";
import { getRouteApi } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { formatPlural } from "../../format/numbers.ts";
import { Page } from "../../shell/page.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { TextAreaField, TextField } from "../../ui/field.tsx";
import { FormBar, formBarClass } from "../../ui/form-bar.tsx";
import { AgentSection } from "./agent-section.tsx";
import { EnvironmentSection } from "./environment-section.tsx";
import { FilesSection } from "./files-section.tsx";
import { type Form, requestOf, withoutSecrets } from "./form.ts";
import { MoreSection } from "./more-section.tsx";
import { RepositoriesSection } from "./repositories-section.tsx";
import type { CloneState } from "./start-session.ts";
import { useForm, useStart } from "./use-new-session.ts";

const route = getRouteApi("/new");

export function NewSessionScreen() {
  const { like, agent, environment } = route.useSearch();
  const chosen = {
    ...(agent === undefined ? {} : { agentMode: "existing" as const, agentId: agent, agentVersion: null }),
    ...(environment === undefined ? {} : { environmentId: environment }),
  };
  return <NewSession key={`${like} ${agent} ${environment}`} like={like} chosen={chosen} />;
}

/** Shows the form of a new session, on one page. */
function NewSession({ like, chosen }: { like: string | undefined; chosen: Partial<Form> }) {
  const { form, change, reset, error: likeError, isFilled } = useForm(like, chosen);
  const { phase, error, faultAt, start, skip, tryAgain, discard } = useStart(form, reset);
  const sections = { form, change, faultAt };
  const [uploading, setUploading] = useState(false);
  const isReady =
    !uploading &&
    form.environmentId !== null &&
    (form.agentMode === "quick" ? form.model !== null : form.agentId !== null);
  const { body } = requestOf(form, form.agentMode === "existing" ? (form.agentId ?? "") : "$AGENT_ID");
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && isReady && phase.step === "form")
      void start();
  }
  if (!isFilled)
    return (
      <Page title="New session">
        <Spinner className="m-6 text-faint" />
      </Page>
    );
  return (
    <Page
      title="New session"
      about={
        like !== undefined && (
          <span className="truncate text-xs text-faint max-sm:hidden">Like {like}, without its secrets</span>
        )
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of all fields in it */}
      <div className="mx-auto max-w-4xl px-4 pb-10 md:px-8" onKeyDown={onKeyDown}>
        {likeError !== null && <ErrorBox error={likeError} className="mt-4" />}
        <div className="border-b border-line py-6">
          <TextAreaField
            label="Task"
            hint="What the agent should do. You can also send it later, as a message."
            error={faultAt("initial_events")}
            autoFocus
            rows={5}
            placeholder="Fix the failing test and push a branch."
            value={form.task}
            onChange={(text) => change({ task: text })}
            controlClass="text-base leading-6"
          />
        </div>
        <fieldset disabled={phase.step === "creating"} className="contents">
          <AgentSection {...sections} />
          <EnvironmentSection {...sections} />
          <RepositoriesSection
            {...sections}
            clones={phase.step === "cloning" ? phase.clones : null}
            onTryAgain={(key) => void tryAgain(key)}
          />
          <FilesSection {...sections} onUploading={setUploading} />
          <MoreSection
            {...sections}
            budgetHint="What the session may cost at most, in US dollars by list price. It stops before that, and continues with more."
          >
            <TextField
              label="Title"
              error={faultAt("title")}
              maxLength={500}
              placeholder="The first line of the task"
              value={form.title}
              onChange={(text) => change({ title: text })}
            />
          </MoreSection>
        </fieldset>
        {phase.step === "cloning" ? (
          <CloningBar
            failed={failedIn(phase.clones)}
            error={error}
            onBack={() => void discard()}
            onSkip={() => void skip()}
          />
        ) : (
          <FormBar
            error={error}
            busy={phase.step === "creating"}
            disabled={!isReady}
            verb="Start session"
            icon="play"
            onSave={() => void start()}
            discard="Clear"
            onDiscard={reset}
            call={{ operation: operations.sessions.create, body: withoutSecrets(body) }}
          />
        )}
      </div>
    </Page>
  );
}

function failedIn(clones: ReadonlyMap<string, CloneState>): number {
  return [...clones.values()].filter(({ state }) => state === "failed").length;
}

type CloningProps = { failed: number; error: unknown; onBack: () => void; onSkip: () => void };

/** Shows the bar of buttons while the session's repositories are cloned. */
function CloningBar({ failed, error, onBack, onSkip }: CloningProps) {
  return (
    <>
      {error !== null && <ErrorBox error={error} className="mt-4" />}
      <div className={formBarClass}>
        {failed > 0 ? (
          <p className="mr-auto text-bad">
            {formatPlural(failed, "repository", "repositories")} could not be cloned: see above.
          </p>
        ) : (
          <p className="mr-auto text-muted">The task is sent when all repositories are cloned.</p>
        )}
        <Button onClick={onBack}>Back</Button>
        <Button onClick={onSkip}>{failed > 0 ? "Send it anyway" : "Send it now"}</Button>
      </div>
    </>
  );
}

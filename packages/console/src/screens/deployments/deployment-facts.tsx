import type { Deployment, DeploymentResource } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { agentQuery } from "../../api/queries/agents.ts";
import { environmentQuery } from "../../api/queries/environments.ts";
import { formatCents } from "../../format/money.ts";
import { formatSlot } from "../../format/time.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { ObjectLink } from "../../shell/object-link.tsx";
import { MetadataFacts } from "../../ui/metadata-facts.tsx";
import { Until } from "../../ui/moment.tsx";
import { OriginFacts } from "../../ui/origin-facts.tsx";
import { Fact, Facts, Section } from "../../ui/section.tsx";
import { boundsOf, boundsWords } from "../session/pulls/follow-form.ts";
import { messageText } from "./messages.ts";
import { scheduleWords } from "./schedule-form.ts";
import { StatusBadge } from "./status-badge.tsx";
import { pausedSentence } from "./words.ts";

/** Shows whether a deployment runs, and when. */
export function DeploymentState({ deployment }: { deployment: Deployment }) {
  const { description } = deployment;
  const paused = pausedSentence(deployment);
  return (
    <>
      <Section title="Status">
        <StatusBadge deployment={deployment} />
        {paused !== null && deployment.archived_at === null && <p className="mt-1.5 text-warn">{paused}</p>}
        {description !== null && <p className="mt-2">{showUnseen(description)}</p>}
      </Section>
      <Schedule deployment={deployment} />
    </>
  );
}

/** Shows what the sessions of a deployment are created from. */
export function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  return (
    <>
      <EachSession deployment={deployment} />
      <Section title="Deployment">
        <Facts>
          <OriginFacts object={deployment} />
        </Facts>
      </Section>
      <MetadataFacts metadata={deployment.metadata} />
    </>
  );
}

function Schedule({ deployment: { schedule, archived_at, status } }: { deployment: Deployment }) {
  const zone = schedule?.type === "cron" ? schedule.timezone : undefined;
  const upcoming = schedule?.upcoming_runs_at ?? [];
  return (
    <Section title="Schedule">
      <p>{showUnseen(scheduleWords(schedule))}</p>
      {upcoming.length > 0 && (
        <ol aria-label="Upcoming runs" className="mt-2 flex flex-col gap-0.5">
          {upcoming.map((at) => (
            <li key={at} className="flex justify-between gap-3 text-muted">
              {formatSlot(at, zone)} <Until at={at} className="text-faint" />
            </li>
          ))}
        </ol>
      )}
      {schedule !== null && upcoming.length === 0 && (
        <p className="mt-1 text-muted">
          {archived_at === null && status === "paused"
            ? "Nothing runs while it is paused."
            : "It runs no more."}
        </p>
      )}
    </Section>
  );
}

function EachSession({ deployment }: { deployment: Deployment }) {
  const { agent, environment_id, initial_events, vault_ids, budget, follow, resources } = deployment;
  const variables = Object.keys(deployment.environment_variables);
  const agentName = useQuery(agentQuery(agent.id)).data?.name;
  const environmentName = useQuery(environmentQuery(environment_id)).data?.name;
  const vaults = [...vault_ids, ...resources.flatMap((one) => (one.type === "vault" ? [one.vault_id] : []))];
  const others = resources.filter(({ type }) => type !== "vault");
  return (
    <Section title="Each session">
      <Facts>
        <Fact name="Agent">
          <Named id={agent.id} name={agentName} />{" "}
          <span className="text-faint">
            {agent.version === null ? "newest version" : `version ${agent.version}`}
          </span>
        </Fact>
        <Fact name="Environment">
          <Named id={environment_id} name={environmentName} />
        </Fact>
        {others.length > 0 && (
          <Fact name="Resources">
            <ul>
              {others.map((resource, index) => (
                <li key={index}>
                  <Resource resource={resource} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {vaults.length > 0 && (
          <Fact name="Vaults">
            <ul>
              {vaults.map((id) => (
                <li key={id}>
                  <Named id={id} name={undefined} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {variables.length > 0 && <Fact name="Variables">{showUnseen(variables.join(", "))}</Fact>}
        <Fact name="Budget">
          {budget === null ? "No limit of its own" : formatCents(budget.max_list_cost.amount)}
        </Fact>
        {follow !== null && (
          <Fact name="Pull requests">Followed until merged. {boundsWords(boundsOf(follow))}.</Fact>
        )}
      </Facts>
      <h3 className="mt-3 text-muted">First messages</h3>
      {initial_events.map((event, index) => (
        <blockquote
          key={index}
          className="mt-1.5 max-h-60 overflow-y-auto rounded-md border border-line bg-sunken px-3 py-2 wrap-anywhere whitespace-pre-wrap"
        >
          {showUnseen(messageText(event))}
        </blockquote>
      ))}
    </Section>
  );
}

function Named({ id, name }: { id: string; name: string | undefined }) {
  return (
    <ObjectLink id={id} className="text-accent-text hover:underline">
      {showUnseen(name ?? id)}
    </ObjectLink>
  );
}

function Resource({ resource }: { resource: DeploymentResource }) {
  if (resource.type === "file")
    return <Named id={resource.file_id} name={resource.mount_path ?? undefined} />;
  if (resource.type === "memory_store") return <Named id={resource.memory_store_id} name={undefined} />;
  if (resource.type === "vault") return null;
  const { url, checkout } = resource;
  const ref =
    checkout === null ? null : checkout.type === "commit" ? checkout.sha.slice(0, 8) : checkout.name;
  return `${showUnseen(url.replace(/^https?:\/\//, ""))}${ref === null ? "" : ` at ${showUnseen(ref)}`}`;
}

import type { Agent } from "@berth/sdk";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { formatCount } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { RecentSessions } from "../../shell/recent-sessions.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { GitIdentityFacts } from "../../ui/git-identity-facts.tsx";
import { MetadataFacts } from "../../ui/metadata-facts.tsx";
import { OriginFacts } from "../../ui/origin-facts.tsx";
import { Fact, Facts, Section } from "../../ui/section.tsx";
import { formOf, TOOLS, type ToolState } from "./form.ts";
import { PermissionBadge } from "./permission.tsx";

/** Shows the settings of an agent: model, prompt, tools, and where it is used. */
export function AgentSettings({ agent }: { agent: Agent }) {
  return (
    <div className="mx-auto grid min-h-full max-w-7xl content-start lg:content-stretch lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="min-w-0 lg:border-r lg:border-line">
        <Section title="System prompt">
          {agent.system === "" ? (
            <p className="text-muted">None.</p>
          ) : (
            <div className="max-h-[32rem] overflow-y-auto rounded-md">
              <CodeBlock code={agent.system.trimEnd()} language="markdown" wraps />
            </div>
          )}
        </Section>
        <Tools agent={agent} />
        <Section title="Latest sessions">
          <RecentSessions query={{ agent_id: agent.id }} search={{ agent: agent.id }} />
        </Section>
      </div>
      <div className="min-w-0 max-lg:order-first">
        <AgentFacts agent={agent} />
      </div>
    </div>
  );
}

function AgentFacts({ agent }: { agent: Agent }) {
  const { model } = agent;
  return (
    <>
      <Section title="Agent">
        {agent.description !== null && <p className="mb-3">{showUnseen(agent.description)}</p>}
        <Facts>
          <Fact name="Model">
            <span className="font-mono text-xs">{model.id}</span>
          </Fact>
          {model.effort !== undefined && <Fact name="Effort">{model.effort}</Fact>}
          <Fact name="Context">{formatCount(model.effective_context_window)} tokens</Fact>
          {model.compact_at !== undefined && (
            <Fact name="Compacted at">{formatCount(model.compact_at)} tokens</Fact>
          )}
          <Fact name="Version">{agent.version}</Fact>
          <OriginFacts object={agent} />
        </Facts>
      </Section>
      {agent.skills.length > 0 && (
        <Section title="Skills">
          <ul className="flex flex-col gap-1.5">
            {agent.skills.map(({ skill_id, name, version }) => (
              <li key={skill_id} className="flex items-baseline justify-between gap-3">
                <Link
                  to="/skills/$skillId"
                  params={{ skillId: skill_id }}
                  className="truncate text-accent-text hover:underline"
                >
                  {showUnseen(name)}
                </Link>
                <span className="text-xs text-faint">
                  {version === null ? "newest version" : `version ${version}`}
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <GitIdentityFacts identity={agent.git_identity} />
      <MetadataFacts metadata={agent.metadata} />
    </>
  );
}

function Tools({ agent }: { agent: Agent }) {
  const { tools, resultBytes, servers } = formOf(agent, []);
  const custom = agent.tools.filter((tool) => tool.type === "custom");
  return (
    <>
      <Section title="Sandbox tools">
        <ul className="grid gap-x-8 sm:grid-cols-2">
          {TOOLS.map(({ name, about }) => (
            <ToolLine
              key={name}
              name={name}
              about={
                resultBytes[name] === undefined
                  ? about
                  : `${about}, ${formatCount(Number(resultBytes[name]))} bytes of a result at most`
              }
              state={tools[name]}
            />
          ))}
        </ul>
      </Section>
      {custom.length > 0 && (
        <Section title="Client tools">
          <ul>
            {custom.map(({ name, description }) => (
              <ToolLine key={name} name={name} about={showUnseen(description)} />
            ))}
          </ul>
        </Section>
      )}
      {servers.map(({ key, name, url, usual, tools: named }) => (
        <Section key={key} title={`MCP server ${name}`}>
          <p className="mb-1 truncate font-mono text-xs text-muted">{showUnseen(url)}</p>
          <ul>
            {named.map((tool) => (
              <ToolLine key={tool.key} name={tool.name} state={tool.state} />
            ))}
            <ToolLine name={named.length === 0 ? "All its tools" : "Its other tools"} state={usual} plain />
          </ul>
        </Section>
      ))}
    </>
  );
}

type ToolLineProps = { name: string; about?: ReactNode; state?: ToolState; plain?: boolean };

function ToolLine({ name, about, state, plain = false }: ToolLineProps) {
  return (
    <li className="flex min-h-8 items-center gap-3 py-1">
      <span className={plain ? "text-muted" : "shrink-0 font-mono text-xs"}>{showUnseen(name)}</span>
      <span className="min-w-0 flex-1 truncate text-xs text-faint">{about}</span>
      {state !== undefined && <PermissionBadge state={state} />}
    </li>
  );
}

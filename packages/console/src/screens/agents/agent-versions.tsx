import type { Agent } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { berth } from "../../api/client.ts";
import { agentVersionQuery } from "../../api/queries/agents.ts";
import { useList } from "../../api/use-list.ts";
import { hunksBetween } from "../../format/diff-lines.ts";
import { Spinner } from "../../ui/button.tsx";
import { cx } from "../../ui/cx.ts";
import { DiffView } from "../../ui/diff-view.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Select } from "../../ui/select.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { changesBetween, textsOf } from "./version-changes.ts";

const route = getRouteApi("/agents/$agentId");

/** Shows the versions of an agent, and the differences between any two. */
export function AgentVersions({ agent }: { agent: Agent }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(["agents", agent.id, "versions", agent.version], () =>
    berth.agents.versions(agent.id, { limit: 50 }),
  );
  const to = search.to ?? agent.version;
  const from = search.from ?? Math.max(1, to - 1);
  const compare = (change: { from?: number; to?: number }) =>
    void navigate({ search: { tab: "versions", from, to, ...change }, replace: true });
  const numbers = list.items.map(({ version }) => version);
  return (
    <div className="grid h-full content-start lg:content-stretch lg:grid-cols-[18rem_minmax(0,1fr)]">
      <div className="min-w-0 border-line max-lg:border-b lg:overflow-y-auto lg:border-r">
        {list.error !== null && <ErrorBox error={list.error} className="m-3" />}
        <ol aria-label="Versions" className="max-lg:flex max-lg:overflow-x-auto">
          {list.items.map((version, index) => (
            <VersionItem
              key={version.version}
              version={version}
              before={list.items[index + 1]}
              shown={version.version === to}
              onShow={() => compare({ to: version.version, from: Math.max(1, version.version - 1) })}
            />
          ))}
        </ol>
        <ShowMore list={list} size="small" className="p-3 text-center" />
      </div>
      <Comparison agentId={agent.id} numbers={numbers} from={from} to={to} onChange={compare} />
    </div>
  );
}

type ItemProps = { version: Agent; before: Agent | undefined; shown: boolean; onShow: () => void };

function VersionItem({ version, before, shown, onShow }: ItemProps) {
  const changes = before === undefined ? [] : changesBetween(before, version);
  return (
    <li className="max-lg:shrink-0">
      <button
        type="button"
        aria-current={shown || undefined}
        onClick={onShow}
        className={cx(
          "flex w-full flex-col px-4 py-2.5 text-left lg:border-b lg:border-line",
          shown ? "bg-selected" : "hover:bg-hover",
        )}
      >
        <span className="flex items-baseline justify-between gap-3">
          <span className="font-medium">Version {version.version}</span>
          <Ago at={version.updated_at} className="text-xs text-faint" />
        </span>
        <span className="max-w-64 truncate text-xs text-muted">
          {version.version === 1 ? "Created" : changes.join(", ")}
        </span>
      </button>
    </li>
  );
}

type ComparisonProps = {
  agentId: string;
  numbers: readonly number[];
  from: number;
  to: number;
  onChange: (change: { from?: number; to?: number }) => void;
};

function Comparison({ agentId, numbers, from, to, onChange }: ComparisonProps) {
  const [look, setLook] = useState<"unified" | "split">("unified");
  const before = useQuery(agentVersionQuery(agentId, from));
  const after = useQuery(agentVersionQuery(agentId, to));
  const known = [...new Set([...numbers, from, to])].sort((one, other) => other - one);
  const choices = known.map((number) => ({ value: String(number), label: `Version ${number}` }));
  const error = before.error ?? after.error;
  return (
    <div className="min-w-0 lg:overflow-y-auto">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <Select
          label="Compare from"
          value={String(from)}
          choices={choices}
          onChange={(value) => onChange({ from: Number(value) })}
          className="h-7! w-32!"
        />
        <span className="text-faint">with</span>
        <Select
          label="Compare with"
          value={String(to)}
          choices={choices}
          onChange={(value) => onChange({ to: Number(value) })}
          className="h-7! w-32!"
        />
        <div className="ml-auto max-sm:hidden">
          <Segments
            label="View of the diff"
            value={look}
            choices={[
              { value: "unified", label: "Unified" },
              { value: "split", label: "Split" },
            ]}
            onChange={setLook}
          />
        </div>
      </div>
      {error !== null && <ErrorBox error={error} className="m-4" />}
      {before.data !== undefined && after.data !== undefined ? (
        <Differences before={before.data} after={after.data} split={look === "split"} />
      ) : (
        error === null && <Spinner className="m-4 text-faint" />
      )}
    </div>
  );
}

function Differences({ before, after, split }: { before: Agent; after: Agent; split: boolean }) {
  const parts = useMemo(() => {
    const [old, fresh] = [textsOf(before), textsOf(after)];
    return [
      { title: "System prompt", hunks: hunksBetween(old.system, fresh.system) },
      { title: "Settings", hunks: hunksBetween(old.settings, fresh.settings) },
    ].filter(({ hunks }) => hunks.length > 0);
  }, [before, after]);
  if (parts.length === 0) return <p className="p-6 text-center text-muted">These versions are the same.</p>;
  return (
    <div className="flex flex-col gap-4 p-4">
      {parts.map(({ title, hunks }) => (
        <section key={title} className="overflow-hidden rounded-lg border border-line">
          <h2 className="border-b border-line bg-panel px-3 py-1.5 font-medium">{title}</h2>
          <DiffView hunks={hunks} split={split} />
        </section>
      ))}
    </div>
  );
}

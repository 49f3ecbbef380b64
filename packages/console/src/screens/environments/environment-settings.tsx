import type { Environment } from "@berth/sdk";
import type { ReactNode } from "react";
import { formatCount } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { RecentSessions } from "../../shell/recent-sessions.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { GitIdentityFacts } from "../../ui/git-identity-facts.tsx";
import { MetadataFacts } from "../../ui/metadata-facts.tsx";
import { OriginFacts } from "../../ui/origin-facts.tsx";
import { Fact, Facts, Section } from "../../ui/section.tsx";
import { MANAGERS, RUNTIMES } from "./form.ts";
import { sizeWords } from "./words.ts";

/** Shows the settings of an environment: networking, packages, variables and limits. */
export function EnvironmentSettings({ environment }: { environment: Environment }) {
  const { config, environment_variables: variables } = environment;
  return (
    <div className="mx-auto grid min-h-full max-w-7xl content-start lg:content-stretch lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="min-w-0 lg:border-r lg:border-line">
        <Networking networking={config.networking} />
        <Packages packages={config.packages} />
        <Runtimes isAuto={config.runtimes === "auto"} runtimes={config.resolved_runtimes} />
        <Script title="Setup script" script={config.setup_script}>
          Runs once as root, after the packages are installed. Every session starts with its result.
        </Script>
        <Script title="Repository setup script" script={config.repository_setup_script}>
          Runs in each repository after it is cloned.
          {config.repository_setup_required && " If it fails, the repository counts as not cloned."}
        </Script>
        <Section title="Variables">
          {Object.keys(variables).length === 0 ? (
            <p className="text-muted">None.</p>
          ) : (
            <Facts>
              {Object.entries(variables).map(([name, value]) => (
                <Fact key={name} name={<span className="font-mono text-xs">{showUnseen(name)}</span>}>
                  <span className="font-mono text-xs">{showUnseen(value)}</span>
                </Fact>
              ))}
            </Facts>
          )}
        </Section>
        <Section title="Latest sessions">
          <RecentSessions
            query={{ environment_id: environment.id }}
            search={{ environment: environment.id }}
          />
        </Section>
      </div>
      <div className="min-w-0 max-lg:order-first">
        <EnvironmentFacts environment={environment} />
      </div>
    </div>
  );
}

function Networking({ networking }: { networking: Environment["config"]["networking"] }) {
  if (networking.type === "unrestricted")
    return (
      <Section title="Networking">
        <p>Every public host, on ports 80 and 443.</p>
      </Section>
    );
  const { allowed_hosts: hosts, allow_package_managers, allow_mcp_servers } = networking;
  const more = [
    allow_package_managers && "the public registries of package managers",
    allow_mcp_servers && "the agent’s MCP servers",
  ].filter(Boolean);
  return (
    <Section title="Networking">
      <p>
        The hosts of the session’s repositories
        {more.length > 0 && `, ${more.join(", ")}`}
        {hosts.length > 0 ? ", and:" : "; nothing else."}
      </p>
      <Tags words={hosts} />
    </Section>
  );
}

function Packages({ packages }: { packages: Environment["config"]["packages"] }) {
  const used = MANAGERS.filter((manager) => packages[manager].length > 0);
  if (used.length === 0) return null;
  return (
    <Section title="Packages">
      <Facts>
        {used.map((manager) => (
          <Fact key={manager} name={manager}>
            <Tags words={packages[manager]} />
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}

function Runtimes({
  isAuto,
  runtimes,
}: {
  isAuto: boolean;
  runtimes: Environment["config"]["resolved_runtimes"];
}) {
  if (isAuto)
    return <Section title="Runtimes">Each session chooses them from files of its repositories.</Section>;
  if (runtimes.length === 0) return null;
  return (
    <Section title="Runtimes">
      <Facts>
        {runtimes.map(({ runtime, requested, version, source }) => (
          <Fact key={runtime} name={RUNTIMES[runtime]}>
            {version}
            <span className="text-muted">
              {requested !== version && ` for ${requested}`}, from {source}
            </span>
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}

function Tags({ words }: { words: readonly string[] }) {
  if (words.length === 0) return null;
  return (
    <ul className="mt-1.5 flex flex-wrap gap-1.5">
      {words.map((word) => (
        <li key={word} className="rounded-md border border-line bg-panel px-2 py-0.5 font-mono text-xs">
          {showUnseen(word)}
        </li>
      ))}
    </ul>
  );
}

type ScriptProps = { title: string; script: string | null; children: ReactNode };

function Script({ title, script, children }: ScriptProps) {
  if (script === null) return null;
  return (
    <Section title={title}>
      <p className="mb-2 text-xs text-faint">{children}</p>
      <div className="max-h-96 overflow-y-auto rounded-md">
        <CodeBlock code={script.trimEnd()} language="bash" numbered />
      </div>
    </Section>
  );
}

function EnvironmentFacts({ environment }: { environment: Environment }) {
  const { resources, git_identity, metadata } = environment;
  return (
    <>
      <Section title="Environment">
        {environment.description !== null && <p className="mb-3">{showUnseen(environment.description)}</p>}
        <Facts>
          <Fact name="Image">
            {environment.image === null ? (
              "The default of the installation"
            ) : (
              <span className="font-mono text-xs">{environment.image}</span>
            )}
          </Fact>
          {environment.runtime_class !== null && (
            <Fact name="Runtime class">
              <span className="font-mono text-xs">{environment.runtime_class}</span>
            </Fact>
          )}
          <Fact name="Workspace">
            {environment.workspace === "persistent" ? "Kept between turns" : "Deleted with the sandbox"}
          </Fact>
          {environment.keep_alive_seconds > 0 && (
            <Fact name="Kept open for processes">
              {formatCount(environment.keep_alive_seconds)} s after the last command
            </Fact>
          )}
          <Fact name="Credentials">
            {environment.credentials === "inject" ? "In the sandbox" : "Outside the sandbox"}
          </Fact>
          <OriginFacts object={environment} />
        </Facts>
      </Section>
      <Section title="Limits of each sandbox">
        <Facts>
          <Fact name="CPUs">{resources.cpus}</Fact>
          <Fact name="Memory">{sizeWords(resources.memory_mb)}</Fact>
          <Fact name="Processes">{formatCount(resources.pids)}</Fact>
          <Fact name="Disk">
            {resources.disk_mb === null ? "No limit of its own" : sizeWords(resources.disk_mb)}
          </Fact>
        </Facts>
      </Section>
      <GitIdentityFacts identity={git_identity} />
      <MetadataFacts metadata={metadata} />
    </>
  );
}

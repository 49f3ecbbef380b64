import type { ReactNode } from "react";
import { newKey } from "../../format/pairs.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Input, TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { Select } from "../../ui/select.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import { type AgentForm, newServer, type ServerEntry, type ServerToolEntry } from "./form.ts";
import { STATE_CHOICES } from "./permission.tsx";

type Props = { form: AgentForm; change: (part: Partial<AgentForm>) => void; faultAt: FaultAt };

/** Edits the MCP servers of an agent. */
export function McpSection({ form, change, faultAt }: Props) {
  const set = (key: string, part: Partial<ServerEntry>) =>
    change({ servers: form.servers.map((one) => (one.key === key ? { ...one, ...part } : one)) });
  return (
    <FormSection
      title="MCP servers"
      about="The agent calls their tools over streamable HTTP. Their tokens come from the session's vaults."
    >
      {form.servers.map((server) => (
        <Server
          key={server.key}
          server={server}
          faultAt={faultAt}
          onChange={(part) => set(server.key, part)}
          onRemove={() => change({ servers: form.servers.filter(({ key }) => key !== server.key) })}
        />
      ))}
      <Button
        icon="plus"
        className="self-start"
        onClick={() => change({ servers: [...form.servers, newServer()] })}
      >
        Add server
      </Button>
    </FormSection>
  );
}

type ServerProps = {
  server: ServerEntry;
  faultAt: FaultAt;
  onChange: (part: Partial<ServerEntry>) => void;
  onRemove: () => void;
};

function Server({ server, faultAt, onChange, onRemove }: ServerProps) {
  const { key, name, url, usual, tools } = server;
  return (
    <div className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-4">
      <div className="grid items-start gap-3 sm:grid-cols-[10rem_minmax(0,1fr)_auto]">
        <TextField
          label="Name"
          error={faultAt(`${key} name`)}
          maxLength={64}
          placeholder="tickets"
          value={name}
          onChange={(text) => onChange({ name: text })}
          controlClass="font-mono text-xs"
        />
        <TextField
          label="URL"
          error={faultAt(`${key} url`)}
          placeholder="https://tickets.example.com/mcp"
          value={url}
          onChange={(text) => onChange({ url: text })}
          controlClass="font-mono text-xs"
        />
        <IconButton icon="trash" label="Remove this server" onClick={onRemove} className="sm:mt-7" />
      </div>
      <ServerTools
        tools={tools}
        faultAt={faultAt}
        onChange={(next) => onChange({ tools: next })}
        usual={
          <Select
            label={`Calls of all other tools of ${name || "the server"}`}
            value={usual}
            choices={STATE_CHOICES}
            onChange={(next) => onChange({ usual: next })}
            className="h-7! w-36!"
          />
        }
      />
    </div>
  );
}

type ToolsProps = {
  tools: readonly ServerToolEntry[];
  faultAt: FaultAt;
  onChange: (tools: ServerToolEntry[]) => void;
  usual: ReactNode;
};

function ServerTools({ tools, faultAt, onChange, usual }: ToolsProps) {
  const set = (key: string, part: Partial<ServerToolEntry>) =>
    onChange(tools.map((tool) => (tool.key === key ? { ...tool, ...part } : tool)));
  return (
    <ul className="flex flex-col gap-2">
      {tools.map(({ key, name, state }) => {
        const fault = faultAt(`${key} name`);
        return (
          <li key={key}>
            <div className="flex items-center gap-2">
              <Input
                aria-label="Name of the tool"
                aria-invalid={fault !== null || undefined}
                placeholder="search"
                value={name}
                onChange={(event) => set(key, { name: event.target.value })}
                className="h-7! min-w-0 flex-1 font-mono text-xs"
              />
              <Select
                label={`Calls of ${name || "the tool"}`}
                value={state}
                choices={STATE_CHOICES}
                onChange={(next) => set(key, { state: next })}
                className="h-7! w-36!"
              />
              <IconButton
                icon="cross"
                label={`Remove ${name || "the tool"}`}
                onClick={() => onChange(tools.filter((tool) => tool.key !== key))}
              />
            </div>
            {fault !== null && <p className="mt-1 text-xs text-bad">{fault}</p>}
          </li>
        );
      })}
      <li className="flex items-center gap-2 pr-9">
        <span className="flex-1 text-muted">{tools.length === 0 ? "All its tools" : "Its other tools"}</span>
        {usual}
      </li>
      <li>
        <Button
          size="small"
          look="quiet"
          icon="plus"
          onClick={() => onChange([...tools, { key: newKey(), name: "", state: "always_allow" }])}
        >
          Set the permission of one tool
        </Button>
      </li>
    </ul>
  );
}

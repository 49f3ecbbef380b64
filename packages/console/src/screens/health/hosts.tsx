import type { HealthHost } from "@berth/sdk";
import { formatCount } from "../../format/numbers.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Badge } from "../../ui/badge.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { Ago, useNow } from "../../ui/moment.tsx";
import { Cell, HeadCell, Table } from "../../ui/table.tsx";
import { hostState } from "./health-words.ts";
import { Panel } from "./panel.tsx";

/** Shows the service processes of this database. */
export function Hosts({ hosts }: { hosts: readonly HealthHost[] }) {
  return (
    <Panel title="Services" flush>
      {hosts.length === 0 ? (
        <p className="px-4 pb-4 text-muted">No service has reported to this database yet.</p>
      ) : (
        <Table
          label="Services"
          head={
            <>
              <HeadCell className="pl-4">Machine</HeadCell>
              <HeadCell>State</HeadCell>
              <HeadCell className="max-md:hidden">Id</HeadCell>
              <HeadCell className="max-sm:hidden">Role</HeadCell>
              <HeadCell className="max-sm:hidden">Version</HeadCell>
              <HeadCell align="right">Sessions</HeadCell>
              <HeadCell align="right" className="max-sm:hidden">
                Concurrent turns
              </HeadCell>
              <HeadCell align="right" className="pr-4 max-sm:hidden">
                Seen
              </HeadCell>
            </>
          }
        >
          {hosts.map((host) => (
            <HostLine key={host.id} host={host} />
          ))}
        </Table>
      )}
    </Panel>
  );
}

function HostLine({ host }: { host: HealthHost }) {
  const { tone, text } = hostState(host, useNow());
  return (
    <tr>
      <Cell className="pl-4 font-medium">
        {showUnseen(host.name ?? "unknown")}
        {host.other_settings.length > 0 && (
          <span className="block text-xs font-normal text-warn">
            other values of {host.other_settings.join(", ")}
          </span>
        )}
      </Cell>
      <Cell>
        <Badge tone={tone} dot>
          {text}
        </Badge>
      </Cell>
      <Cell className="max-md:hidden">
        <CopyId id={host.id} />
      </Cell>
      <Cell className="text-muted max-sm:hidden">{host.role ?? "–"}</Cell>
      <Cell className="text-muted max-sm:hidden">{host.version ?? "–"}</Cell>
      <Cell align="right">
        {formatCount(host.sessions)}
        {host.deleted_sessions > 0 && (
          <span className="block text-xs text-faint">{formatCount(host.deleted_sessions)} to remove</span>
        )}
      </Cell>
      <Cell align="right" className="text-muted max-sm:hidden">
        {host.capacity === null ? "–" : formatCount(host.capacity)}
      </Cell>
      <Cell align="right" className="pr-4 whitespace-nowrap text-muted max-sm:hidden">
        {host.seen_at === null ? "never" : <Ago at={host.seen_at} />}
      </Cell>
    </tr>
  );
}

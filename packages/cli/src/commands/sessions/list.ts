import type { Session, SessionStatus } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import { type Palette, paletteFor } from "../../terminal/palette.ts";
import { cut, plainLine } from "../../terminal/plain-text.ts";
import { printJson, printLine } from "../../terminal/print.ts";
import { table } from "../../terminal/table.ts";

interface ListOptions extends ConnectionOptions {
  limit: number;
  status?: SessionStatus[];
  archived?: boolean;
  json?: boolean;
}

export async function listSessions(options: ListOptions): Promise<undefined> {
  const client = await connect(options);
  const list = client.sessions.list({
    limit: Math.min(options.limit, 100),
    statuses: options.status,
    include_archived: options.archived,
  });
  const sessions: Session[] = [];
  let has_more = false;
  for await (const session of list) {
    has_more = sessions.length === options.limit;
    if (has_more) break;
    sessions.push(session);
  }
  if (options.json) printJson({ data: sessions, has_more });
  else if (sessions.length > 0) printTable(sessions);
}

function printTable(sessions: Session[]): void {
  const palette = paletteFor(process.stdout);
  const head = ["ID", "STATUS", "CREATED", "MODEL", "TITLE"].map(palette.dim);
  const rows = sessions.map((session) => [
    session.id,
    status(session, palette),
    session.created_at.replace("T", " ").slice(0, 16),
    plainLine(session.agent.model.id),
    cut(plainLine(session.title), 60),
  ]);
  for (const line of table([head, ...rows])) printLine(line);
}

function status({ status, archived_at }: Session, { green, yellow, dim }: Palette): string {
  if (archived_at !== null) return dim("archived");
  if (status === "running") return green(status);
  return status === "rescheduling" ? yellow(status) : dim(status);
}

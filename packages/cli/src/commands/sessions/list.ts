import type { Session, SessionStatus } from "@berth/sdk";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { minuteOf } from "../../terminal/object.ts";
import { type Palette, paletteFor, widthLimitOf } from "../../terminal/palette.ts";
import { cut, plainLine } from "../../terminal/plain-text.ts";
import { fittedTable } from "../../terminal/table.ts";

interface ListOptions extends ConnectionOptions, OutputOptions {
  limit: number;
  status?: SessionStatus[];
  title?: string;
  owner?: string;
  waiting?: boolean;
  archived?: boolean;
}

export async function listSessions(options: ListOptions): Promise<undefined> {
  const client = await connect(options);
  const list = client.sessions.list({
    limit: Math.min(options.limit, 100),
    statuses: options.status,
    title: options.title,
    owner_id: options.owner,
    requires_action: options.waiting,
    include_archived: options.archived,
  });
  const sessions: Session[] = [];
  let has_more = false;
  for await (const session of list) {
    has_more = sessions.length === options.limit;
    if (has_more) break;
    sessions.push(session);
  }
  await printResult({ data: sessions, has_more }, options, () =>
    sessions.length === 0 ? [] : tableOf(sessions),
  );
}

function tableOf(sessions: Session[]): string[] {
  const palette = paletteFor(process.stdout);
  const head = ["ID", "STATUS", "CREATED AT", "MODEL", "TITLE"];
  const rows = sessions.map((session) => [
    session.id,
    status(session, palette),
    minuteOf(session.created_at),
    plainLine(session.agent.model.id),
    cut(plainLine(session.title), 60),
  ]);
  return fittedTable(head, rows, {
    shrinks: [3, 4],
    columns: widthLimitOf(process.stdout),
    styleHead: palette.dim,
  });
}

function status({ status, archived_at }: Session, { green, yellow, dim }: Palette): string {
  if (archived_at !== null) return dim("archived");
  if (status === "running") return green(status);
  return status === "rescheduling" ? yellow(status) : dim(status);
}

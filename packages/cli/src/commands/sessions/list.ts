import { type Session, type SessionStatus, standingOf, type TurnOutcome } from "@berth/sdk";
import { standingWords } from "../../render/standing-words.ts";
import { type ConnectionOptions, connect } from "../../shared/connection.ts";
import type { OutputOptions } from "../../shared/formats.ts";
import { printResult } from "../../shared/output.ts";
import { minuteOf } from "../../terminal/object.ts";
import { paletteFor, widthLimitOf } from "../../terminal/palette.ts";
import { cut, plainLine } from "../../terminal/plain-text.ts";
import { fittedTable } from "../../terminal/table.ts";

type Outcome = "none" | Exclude<TurnOutcome, "terminated">;

/** Shorter words for outcomes of the API. */
const OUTCOMES = {
  waiting: ["requires_action"],
  failed: ["retries_exhausted", "refusal"],
  done: ["end_turn"],
} satisfies Record<string, Outcome[]>;

interface ListOptions extends ConnectionOptions, OutputOptions {
  limit: number;
  status?: SessionStatus[];
  outcome?: (Outcome | keyof typeof OUTCOMES)[];
  sort?: "created_at" | "updated_at";
  cloneFailed?: boolean;
  setAside?: boolean;
  title?: string;
  search?: string;
  sharedWithMe?: boolean;
  owner?: string;
  deployment?: string;
  mine?: boolean;
  unseen?: boolean;
  waiting?: boolean;
  archived?: boolean;
}

export async function listSessions(options: ListOptions): Promise<undefined> {
  const client = await connect(options);
  const list = client.sessions.list({
    limit: Math.min(options.limit, 100),
    statuses: options.status,
    outcomes: options.outcome?.flatMap((one) =>
      one in OUTCOMES ? OUTCOMES[one as keyof typeof OUTCOMES] : [one as Outcome],
    ),
    repository_failed: options.cloneFailed,
    set_aside: options.setAside,
    sort: options.search === undefined ? options.sort : "updated_at",
    search: options.search,
    shared_with_me: options.sharedWithMe,
    title: options.title,
    owner_id: options.owner,
    deployment_id: options.deployment,
    mine: options.mine,
    unseen: options.unseen,
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
  const head = ["ID", "STATUS", "LAST ACTIVE", "MODEL", "TITLE"];
  const rows = sessions.map((session) => [
    session.id,
    standingWords(standingOf(session), palette) + (session.unseen ? ", unseen" : ""),
    minuteOf(session.updated_at),
    plainLine(session.agent.model.id),
    cut(plainLine(session.title), 60),
  ]);
  return fittedTable(head, rows, {
    shrinks: [3, 4],
    columns: widthLimitOf(process.stdout),
    styleHead: palette.dim,
  });
}

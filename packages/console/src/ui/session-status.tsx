import type { SessionStatus as Status } from "@berth/sdk";
import { Badge, type Tone } from "./badge.tsx";

type Props = { status: Status | "deleted"; waiting?: boolean; archived?: boolean };

const LOOKS: Record<Status | "deleted", { tone: Tone; text: string; live?: boolean }> = {
  running: { tone: "info", text: "Running", live: true },
  rescheduling: { tone: "warn", text: "Rescheduling", live: true },
  idle: { tone: "neutral", text: "Idle" },
  terminated: { tone: "neutral", text: "Ended" },
  deleted: { tone: "bad", text: "Deleted" },
};

/** How a session is, in a word: what somebody has to do comes first. */
export function SessionStatus({ status, waiting = false, archived = false }: Props) {
  if (archived) return <Badge>Archived</Badge>;
  if (waiting && status !== "terminated" && status !== "deleted")
    return (
      <Badge tone="warn" dot>
        Needs an answer
      </Badge>
    );
  const { tone, text, live = false } = LOOKS[status];
  return (
    <Badge tone={tone} live={live} dot>
      {text}
    </Badge>
  );
}

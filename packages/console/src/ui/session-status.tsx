import { type Session, standingOf } from "@berth/sdk";
import { Badge } from "./badge.tsx";
import { type Look, type Shown, STANDINGS } from "./standings.ts";

/** How a session stands, in a word. A later service may have words that this console does not know. */
export function SessionStatus({ standing }: { standing: Shown }) {
  const {
    tone,
    text,
    live = false,
  } = (STANDINGS[standing] as Look | undefined) ?? {
    tone: "neutral",
    text: standing,
  };
  return (
    <Badge tone={tone} live={live} dot>
      {text}
    </Badge>
  );
}

/** The same of a session as the API shows it. */
export function StatusOf({ session }: { session: Session }) {
  return <SessionStatus standing={standingOf(session)} />;
}

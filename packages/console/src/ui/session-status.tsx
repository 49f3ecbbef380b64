import { type Session, standingOf } from "@berth/sdk";
import { Badge } from "./badge.tsx";
import { type Look, type Shown, STANDINGS } from "./standings.ts";

/**
 * Shows the state of a session as a label. A newer service may have states that this console does not know.
 */
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

/** Shows the state of a session from the API. */
export function StatusOf({ session }: { session: Session }) {
  return <SessionStatus standing={standingOf(session)} />;
}

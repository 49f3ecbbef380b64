import type { CallRow } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { AnswerCustomTool } from "./answer-custom-tool.tsx";
import { ConfirmCall } from "./confirm-call.tsx";

/** Shows the form that answers a waiting call: permission to run, or its result. */
export function AnswerCall({ row }: { row: CallRow }) {
  const { closed } = useSession();
  if (closed) return null;
  return row.use.type === "agent.custom_tool_use" ? (
    <AnswerCustomTool use={row.use} />
  ) : (
    <ConfirmCall use={row.use} />
  );
}

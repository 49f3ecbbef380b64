import { useMemo } from "react";
import { berth } from "../../../api/client.ts";
import { queryClient } from "../../../api/query-client.ts";

type Events = Parameters<typeof berth.sessions.events.send>[1]["events"];

export type SessionActions = ReturnType<typeof sessionActions>;

/** Returns the actions on a session. Each throws the service's error on failure. */
export function useSessionActions(sessionId: string): SessionActions {
  return useMemo(() => sessionActions(sessionId), [sessionId]);
}

function sessionActions(sessionId: string) {
  const send = (events: Events) => berth.sessions.events.send(sessionId, { events });
  const changed = async <Value>(act: Promise<Value>): Promise<Value> => {
    const value = await act;
    await queryClient.invalidateQueries({ queryKey: ["sessions"] });
    return value;
  };
  return {
    send,
    goOn: () => send([{ type: "user.message", content: [{ type: "text", text: "Continue." }] }]),
    interrupt: () => send([{ type: "user.interrupt" }]),
    allow: (id: string) => send([{ type: "user.tool_confirmation", tool_use_id: id, result: "allow" }]),
    deny: (id: string, reason: string) =>
      send([
        {
          type: "user.tool_confirmation",
          tool_use_id: id,
          result: "deny",
          ...(reason === "" ? {} : { deny_message: reason }),
        },
      ]),
    answer: (id: string, text: string, isError: boolean) =>
      send([
        {
          type: "user.custom_tool_result",
          custom_tool_use_id: id,
          content: text === "" ? [] : [{ type: "text", text }],
          is_error: isError,
        },
      ]),
    rename: (title: string) => changed(berth.sessions.update(sessionId, { title })),
    release: () => changed(berth.sessions.release(sessionId)),
    archive: () => changed(berth.sessions.archive(sessionId)),
    terminate: () => changed(berth.sessions.terminate(sessionId)),
    delete: () => changed(berth.sessions.delete(sessionId)),
  };
}

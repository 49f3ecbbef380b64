import { useMemo } from "react";
import { berth } from "../../../api/client.ts";
import { queryClient } from "../../../api/query-client.ts";
import type { Budget } from "../../../format/money.ts";

type Events = Parameters<typeof berth.sessions.events.send>[1]["events"];

type Follow = NonNullable<Parameters<typeof berth.sessions.update>[1]["follow"]> | null;

export type SessionActions = ReturnType<typeof sessionActions>;

/** Returns the actions on a session. Each throws the service's error on failure. */
export function useSessionActions(sessionId: string): SessionActions {
  return useMemo(() => sessionActions(sessionId), [sessionId]);
}

const allowed = (id: string) => ({
  type: "user.tool_confirmation" as const,
  tool_use_id: id,
  result: "allow" as const,
});

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
    /** Allows calls: all of them, or none if one was answered meanwhile. */
    allow: (...ids: string[]) => send(ids.map(allowed)),
    /** Allows a call, and later ones of its tool; with a prefix only commands that begin with it. */
    allowAlways: (id: string, prefix: string | null) =>
      send([{ ...allowed(id), always: prefix === null ? {} : { command_prefix: prefix } }]),
    revokeRule: (id: string) => berth.sessions.confirmationRules.delete(sessionId, id),
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
    setBudget: (budget: Budget) => changed(berth.sessions.update(sessionId, { budget })),
    follow: (follow: Follow) => changed(berth.sessions.update(sessionId, { follow })),
    release: () => changed(berth.sessions.release(sessionId)),
    archive: () => changed(berth.sessions.archive(sessionId)),
    terminate: () => changed(berth.sessions.terminate(sessionId)),
    delete: () => changed(berth.sessions.delete(sessionId)),
  };
}

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { berth } from "../api/client.ts";
import type { Action } from "../shell/actions.ts";

/** Objects for the palette: the newest sessions, by title and id. */
export function useFoundObjects(_typed: string): readonly Action[] {
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ["sessions", "palette"],
    queryFn: ({ signal }) => berth.sessions.list({ limit: 100 }, { signal }),
    staleTime: 15_000,
  });
  return (data?.data ?? []).map((session) => ({
    id: session.id,
    label: session.title || session.id,
    words: session.id,
    group: "Session",
    icon: "session",
    run: () => void navigate({ to: "/sessions/$sessionId", params: { sessionId: session.id } }),
  }));
}

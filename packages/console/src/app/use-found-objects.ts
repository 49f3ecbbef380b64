import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { berth } from "../api/client.ts";
import {
  agentChoices,
  environmentChoices,
  memoryStoreChoices,
  skillChoices,
} from "../api/queries/choices.ts";
import type { Action } from "../shell/actions.ts";

const STALE_MS = 15_000;

const sessions = queryOptions({
  queryKey: ["sessions", "palette"],
  queryFn: ({ signal }) => berth.sessions.list({ limit: 100 }, { signal }),
  staleTime: STALE_MS,
});

const files = queryOptions({
  queryKey: ["files", "palette"],
  queryFn: ({ signal }) => berth.files.list({ limit: 100 }, { signal }),
  staleTime: STALE_MS,
});

/** Objects for the palette: the newest of each kind, by name and id. */
export function useFoundObjects(_typed: string): readonly Action[] {
  const navigate = useNavigate();
  const { data: found } = useQuery(sessions);
  const { data: stored } = useQuery(files);
  const [agents, environments, skills, stores] = useQueries({
    queries: [agentChoices, environmentChoices, skillChoices, memoryStoreChoices],
  });
  return [
    ...(found?.data ?? []).map(({ id, title }) =>
      action("Session", "session", id, title || id, () =>
        navigate({ to: "/sessions/$sessionId", params: { sessionId: id } }),
      ),
    ),
    ...(agents.data ?? []).map(({ id, name }) =>
      action("Agent", "agent", id, name, () => navigate({ to: "/agents/$agentId", params: { agentId: id } })),
    ),
    ...(environments.data ?? []).map(({ id, name }) =>
      action("Environment", "environment", id, name, () =>
        navigate({ to: "/environments/$environmentId", params: { environmentId: id } }),
      ),
    ),
    ...(skills.data ?? []).map(({ id, name, display_title }) =>
      action("Skill", "skill", `${id} ${name}`, display_title ?? name, () =>
        navigate({ to: "/skills/$skillId", params: { skillId: id } }),
      ),
    ),
    ...(stores.data ?? []).map(({ id, name }) =>
      action("Memory store", "memory", id, name, () =>
        navigate({ to: "/memory/$storeId", params: { storeId: id } }),
      ),
    ),
    ...(stored?.data ?? []).map(({ id, filename }) =>
      action("File", "file", id, filename, () => navigate({ to: "/files/$fileId", params: { fileId: id } })),
    ),
  ];
}

/** `words` begin with the id of the object. */
function action(
  group: string,
  icon: NonNullable<Action["icon"]>,
  words: string,
  label: string,
  go: () => Promise<void>,
): Action {
  return { id: words, label, words, group, icon, run: () => void go() };
}

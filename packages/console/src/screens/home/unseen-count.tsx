import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { UNSEEN_LIMIT, unseenQuery } from "../../api/queries/desk.ts";
import { LIVE_MS } from "../../shell/list-search.ts";
import { tellNews, useNotifying } from "./notifications.ts";

/** Milliseconds until the list is read again after an error, such as a sign-in that may not read sessions. */
const FAILED_MS = 60_000;

/** Shows how many sessions on the desk the user has not seen, and notifies of new ones. */
export function UnseenCount() {
  const navigate = useNavigate();
  const isOn = useNotifying() === "on";
  const { data } = useQuery({
    ...unseenQuery,
    refetchInterval: ({ state }) => (state.error === null ? LIVE_MS : FAILED_MS),
    refetchIntervalInBackground: isOn,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each read of the list, once
  useEffect(() => {
    if (data !== undefined)
      void tellNews(
        data.data,
        (sessionId) => void navigate({ to: "/sessions/$sessionId", params: { sessionId } }),
      );
  }, [data]);
  const count = data?.data.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-accent-soft px-1.5 text-xs leading-4.5 font-medium text-accent-text tabular">
      {count}
      {count === UNSEEN_LIMIT && "+"}
      <span className="sr-only"> not seen</span>
    </span>
  );
}

import type { SessionResource } from "@berth/sdk";
import { Link } from "@tanstack/react-router";
import { berth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { useMutation } from "../../api/use-mutation.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { toastError } from "../../ui/toast.tsx";
import { useSession } from "./scope/session-context.ts";

type Repository = Extract<SessionResource, { url: string }>;

/** Shows the repositories that could not be cloned, above the transcript until they are cloned. */
export function FailedClones() {
  const { session, closed } = useSession();
  const failed = session.resources.flatMap((one) => ("url" in one && one.error !== null ? [one] : []));
  if (closed || failed.length === 0) return null;
  return (
    <div role="alert" className="max-h-[30dvh] shrink-0 overflow-y-auto border-b border-bad/30 bg-bad-soft">
      {failed.map((repository) => (
        <FailedClone key={repository.id} repository={repository} />
      ))}
    </div>
  );
}

function FailedClone({ repository }: { repository: Repository }) {
  const { session } = useSession();
  const retry = useMutation({
    mutationFn: () => berth.sessions.resources.retry(session.id, repository.id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["sessions", session.id], exact: true }),
    onError: (error) => toastError("The clone could not be retried", error.message),
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2">
      <Icon name="alert" className="text-bad" />
      <p className="line-clamp-3 min-w-48 flex-1 wrap-anywhere">
        {showUnseen(firstLine(repository.error?.message ?? ""))}
      </p>
      <span className="flex gap-2">
        <Link
          from="/sessions/$sessionId"
          to="."
          search={(search) => ({ ...search, panel: "resources" })}
          className={buttonClass("quiet", "small")}
        >
          Rotate the {repository.type === "hosted_repository" ? "token" : "password"}
        </Link>
        <Button size="small" busy={retry.isPending} onClick={() => retry.mutate()}>
          Try again
        </Button>
      </span>
    </div>
  );
}

/** Returns the first line; the message of a failed setup script also has the end of its output. */
function firstLine(message: string): string {
  return message.split("\n")[0] ?? "";
}

import { APIError, ConnectionError } from "@berth/sdk";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyId } from "./copy.tsx";
import { cx } from "./cx.ts";
import { Icon } from "./icon.tsx";

type Props = { error: unknown; retry?: (() => void) | undefined; className?: string; title?: ReactNode };

/** Shows an error in the service's words, with the request id by which an operator finds it in the logs. */
export function ErrorBox({ error, retry, className, title }: Props) {
  const requestId = requestIdOf(error);
  return (
    <div
      role="alert"
      className={cx(
        "flex items-start gap-2.5 rounded-lg border border-bad/30 bg-bad-soft px-3 py-2.5 text-ink",
        className,
      )}
    >
      <Icon name="alert" className="mt-0.5 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{title ?? messageOf(error)}</p>
        {title !== undefined && <p className="break-words text-muted">{messageOf(error)}</p>}
        {requestId !== null && (
          <p className="mt-0.5 flex flex-wrap items-center gap-1.5 text-xs text-muted">
            request_id <CopyId id={requestId} />
          </p>
        )}
      </div>
      {retry !== undefined && (
        <Button size="small" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

export function messageOf(error: unknown): string {
  if (error instanceof ConnectionError) return "The service cannot be reached.";
  return error instanceof Error ? error.message : String(error);
}

function requestIdOf(error: unknown): string | null {
  if (error instanceof APIError) return error.requestId;
  const { requestId } = (error ?? {}) as { requestId?: unknown };
  return typeof requestId === "string" ? requestId : null;
}

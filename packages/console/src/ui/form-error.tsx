import { APIError } from "@berth/sdk";
import { CopyId } from "./copy.tsx";
import { ErrorBox } from "./error-box.tsx";

type Props = {
  error: unknown;
  /** Whether a field of the form shows the error. */
  atField: boolean;
  className?: string;
};

/** Shows the error of a form: all of it, or only the request id if a field shows it. */
export function FormError({ error, atField, className }: Props) {
  if (error === null || error === undefined) return null;
  if (!atField) return <ErrorBox error={error} className={className ?? ""} />;
  const requestId = error instanceof APIError ? error.requestId : null;
  return (
    <p role="alert" className={className}>
      <span className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
        <span>Nothing was saved: correct the field that is marked red.</span>
        {requestId !== null && (
          <span className="flex min-w-0 items-center gap-1.5">
            request_id <CopyId id={requestId} />
          </span>
        )}
      </span>
    </p>
  );
}

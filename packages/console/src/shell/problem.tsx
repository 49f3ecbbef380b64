import { APIError, ConnectionError } from "@berth/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { whoamiQuery } from "../api/queries/whoami.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { CopyId } from "../ui/copy.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";

type Props = { error: unknown; retry: () => void };

/** Explains why a page has nothing to show: access denied, not found, or not readable. */
export function Problem({ error, retry }: Props) {
  if (error instanceof APIError && error.status === 403) return <NotAllowed error={error} retry={retry} />;
  if (error instanceof APIError && error.status === 404) return <Gone error={error} />;
  if (error instanceof ConnectionError) return <Away retry={retry} />;
  return <ErrorBox error={error} retry={retry} className="m-4" />;
}

function NotAllowed({ error, retry }: { error: APIError; retry: () => void }) {
  const { data: me } = useQuery(whoamiQuery);
  return (
    <Empty
      icon="lock"
      title="You do not have access"
      command="berth whoami"
      action={
        <span className="flex gap-2">
          <Link to="/tokens" className={buttonClass()}>
            Tokens and sign-ins
          </Link>
          <Button onClick={retry}>Try again</Button>
        </span>
      }
    >
      <p>{error.message}</p>
      {me !== undefined && (
        <p className="mt-2">
          You are {me.principal.name}, {me.role === "admin" ? "an admin" : "a member"} of{" "}
          {me.organization.name}, with {me.scopes.includes("*") ? "every scope" : me.scopes.join(", ")}.
        </p>
      )}
      <RequestId error={error} />
    </Empty>
  );
}

function Gone({ error }: { error: APIError }) {
  return (
    <Empty
      icon="help"
      title="Not found"
      action={
        <Link to="/" className={buttonClass()}>
          Go to sessions
        </Link>
      }
    >
      <p>{error.message}</p>
      <p className="mt-2">It was deleted, or you do not have access to it.</p>
      <RequestId error={error} />
    </Empty>
  );
}

function Away({ retry }: { retry: () => void }) {
  return (
    <Empty
      icon="network"
      title="The service cannot be reached"
      action={<Button onClick={retry}>Try now</Button>}
    >
      The page reloads by itself when it can.
    </Empty>
  );
}

function RequestId({ error: { requestId } }: { error: APIError }) {
  if (requestId === null) return null;
  return (
    <p className="mt-2 flex justify-center gap-1.5 text-xs">
      request_id <CopyId id={requestId} />
    </p>
  );
}

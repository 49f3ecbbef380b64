import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";

export function NotFound() {
  return (
    <Empty
      icon="help"
      title="There is no such page"
      action={
        <Link to="/" className={buttonClass()}>
          To the sessions
        </Link>
      }
    >
      The address may be mistyped, or what it showed is gone.
    </Empty>
  );
}

export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <div className="p-6">
      <ErrorBox error={error} title="This page could not be shown." retry={reset} />
    </div>
  );
}

import { createRootRoute, type ErrorComponentProps, Link } from "@tanstack/react-router";
import { buttonClass } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { Page } from "./page.tsx";

/** The parent of every screen's route. The app sets its frame, since it knows all screens. */
export const rootRoute = createRootRoute({ notFoundComponent: NotFound, errorComponent: RouteError });

function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        icon="help"
        title="This page does not exist"
        action={
          <Link to="/" className={buttonClass()}>
            Go to Home
          </Link>
        }
      >
        The URL is wrong, or its object was deleted.
      </Empty>
    </Page>
  );
}

/**
 * Shows the error of a route. "Try again" reloads the page, since a browser does not request a failed module
 * again within one page.
 */
function RouteError({ error }: ErrorComponentProps) {
  return (
    <div className="p-6">
      <ErrorBox error={error} title="This page could not be shown." retry={() => location.reload()} />
    </div>
  );
}

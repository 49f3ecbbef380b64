import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CallExample } from "../api/call-commands.ts";
import { showUnseen } from "../format/visible-text.ts";
import { Spinner } from "../ui/button.tsx";
import { CallPanel } from "../ui/call-panel.tsx";
import { JsonView } from "../ui/json-view.tsx";
import { Section } from "../ui/section.tsx";
import { Page } from "./page.tsx";
import { Problem } from "./problem.tsx";

type Query<Item> = { data: Item | undefined; error: Error | null; refetch: () => unknown };

/** Shows the page of an object once it has loaded; before that a spinner, or the error. */
export function Loaded<Item>({
  query: { data, error, refetch },
  title,
  children,
}: {
  query: Query<Item>;
  title: string;
  children: (item: Item) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  return (
    <Page title={title}>
      {error === null ? (
        <Spinner className="m-6 text-faint" />
      ) : (
        <Problem error={error} retry={() => void refetch()} />
      )}
    </Page>
  );
}

/** Shows the heading of an object's page: a link to its list, and its name. */
export function ObjectHeading({
  list,
  to,
  name,
}: {
  list: string;
  to: NonNullable<LinkProps["to"]>;
  name: string;
}) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Link to={to} className="shrink-0 font-normal text-faint hover:text-ink max-sm:hidden">
        {list}
      </Link>
      <span aria-hidden="true" className="font-normal text-faint max-sm:hidden">
        /
      </span>
      <span className="min-w-0 truncate">{showUnseen(name)}</span>
    </span>
  );
}

/** Shows an object as the API returns it, and commands that read it. */
export function ApiTab({ value, calls }: { value: unknown; calls: readonly CallExample[] }) {
  return (
    <Scrolled>
      <div className="mx-auto max-w-4xl py-2">
        <Section title="The same by CLI and curl">
          <div className="flex flex-col gap-3">
            {calls.map((call) => (
              <CallPanel key={call.operation.id} call={call} />
            ))}
          </div>
        </Section>
        <Section title="JSON">
          <JsonView value={value} />
        </Section>
      </div>
    </Scrolled>
  );
}

/** Shows the content of a tab, which scrolls separately. */
export function Scrolled({ children }: { children: ReactNode }) {
  return <div className="h-full overflow-y-auto">{children}</div>;
}

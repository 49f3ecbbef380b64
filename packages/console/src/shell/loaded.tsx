import type { ReactNode } from "react";
import { Spinner } from "../ui/button.tsx";
import { Page } from "./page.tsx";
import { Problem } from "./problem.tsx";

export type Query<Item> = { data: Item | undefined; error: Error | null; refetch: () => unknown };

type Props<Item> = { query: Query<Item>; title: string; children: (item: Item) => ReactNode };

/** Shows the page of an object once it has loaded; before that a spinner, or the error. */
export function Loaded<Item>({ query: { data, error, refetch }, title, children }: Props<Item>) {
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

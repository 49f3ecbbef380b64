import { Button } from "./button.tsx";

type Props = {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  size?: "small" | "medium";
  className: string;
};

/** Shows a button that loads the next page of a list, if there is one. */
export function ShowMore({ list, size = "medium", className }: Props) {
  return (
    list.hasNextPage && (
      <div className={className}>
        <Button size={size} busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      </div>
    )
  );
}

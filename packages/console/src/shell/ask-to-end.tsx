import type { LinkProps } from "@tanstack/react-router";
import { queryClient } from "../api/query-client.ts";
import { Confirm } from "../ui/confirm.tsx";
import { toast } from "../ui/toast.tsx";

/** The ways in which objects of a kind end. */
export type Ending = {
  /** The name of the kind, within a sentence. */
  noun: string;
  /** The first part of the query keys of such objects. */
  queryKey: string;
  /** The page that lists the objects, which follows a deletion. */
  list: NonNullable<LinkProps["to"]>;
  /** Without `delete`, it can only be archived. */
  calls: { archive: (id: string) => Promise<unknown>; delete?: (id: string) => Promise<unknown> };
  /** The consequences of each action for users of the object. */
  means: { archive: string; delete?: string };
  /** Whether archiving destroys something, too. */
  archiveDestroys?: boolean;
};

type Props = Ending & {
  asked: "archive" | "delete" | null;
  onClose: () => void;
  id: string;
  name: string;
  /** Leaves the page of the deleted object. */
  onDeleted: () => Promise<void>;
};

/** Asks before an object is archived or deleted. */
export function AskToEnd(props: Props) {
  const { asked, onClose, id, name, noun, queryKey, calls, means, archiveDestroys = false } = props;
  return (
    <>
      <Confirm
        open={asked === "archive"}
        onClose={onClose}
        title={`Archive “${name}”?`}
        verb="Archive"
        danger={archiveDestroys}
        act={async () => {
          await calls.archive(id);
          await queryClient.invalidateQueries({ queryKey: [queryKey] });
          toast(`The ${noun} is archived`);
        }}
      >
        {means.archive}
      </Confirm>
      <Confirm
        open={asked === "delete"}
        onClose={onClose}
        title={`Delete “${name}”?`}
        verb="Delete"
        danger
        act={async () => {
          await calls.delete?.(id);
          queryClient.removeQueries({ queryKey: [queryKey, id] });
          void queryClient.invalidateQueries({ queryKey: [queryKey] });
          await props.onDeleted();
          toast(`The ${noun} is deleted`);
        }}
      >
        {means.delete}
      </Confirm>
    </>
  );
}

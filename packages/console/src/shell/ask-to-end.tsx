import { queryClient } from "../api/query-client.ts";
import { Confirm } from "../ui/confirm.tsx";
import { toast } from "../ui/toast.tsx";

/** A way to end an object: the call, and what it means for whoever uses the object. */
type Ending = { act: () => Promise<unknown>; means: string };

type Props = {
  asked: string | null;
  onClose: () => void;
  object: { id: string };
  name: string;
  /** What it is, in a sentence. */
  noun: string;
  /** Under which such objects are kept once they are read. */
  queryKey: string;
  archive: Ending;
  delete: Ending;
  /** Leaves the page of what is gone. */
  onDeleted: () => Promise<void>;
};

/** Asks before an object is archived or deleted. */
export function AskToEnd(props: Props) {
  const { asked, onClose, object, name, noun, queryKey, archive, onDeleted } = props;
  return (
    <>
      <Confirm
        open={asked === "archive"}
        onClose={onClose}
        title={`Archive “${name}”?`}
        verb="Archive"
        act={async () => {
          await archive.act();
          await queryClient.invalidateQueries({ queryKey: [queryKey] });
          toast(`The ${noun} is archived`);
        }}
      >
        {archive.means}
      </Confirm>
      <Confirm
        open={asked === "delete"}
        onClose={onClose}
        title={`Delete “${name}”?`}
        verb="Delete"
        danger
        act={async () => {
          await props.delete.act();
          queryClient.removeQueries({ queryKey: [queryKey, object.id] });
          void queryClient.invalidateQueries({ queryKey: [queryKey] });
          await onDeleted();
        }}
      >
        {props.delete.means}
      </Confirm>
    </>
  );
}

import { CopyId } from "./copy.tsx";
import { Ago } from "./moment.tsx";
import { Owner } from "./owner.tsx";
import { Fact } from "./section.tsx";

type Props = {
  object: {
    id: string;
    owner_id: string;
    created_at: string;
    updated_at: string;
    archived_at: string | null;
  };
};

/** Shows the id, owner and times of an object. */
export function OriginFacts({ object }: Props) {
  return (
    <>
      <Fact name="Id">
        <CopyId id={object.id} />
      </Fact>
      <Fact name="Owner">
        <Owner id={object.owner_id} />
      </Fact>
      <Fact name="Created">
        <Ago at={object.created_at} />
      </Fact>
      <Fact name="Changed">
        <Ago at={object.updated_at} />
      </Fact>
      {object.archived_at !== null && (
        <Fact name="Archived">
          <Ago at={object.archived_at} />
        </Fact>
      )}
    </>
  );
}

import type { ServiceAccount, User } from "@berth/sdk";
import { CopyId } from "../../ui/copy.tsx";
import { Ago } from "../../ui/moment.tsx";
import { Fact } from "../../ui/section.tsx";
import type { TabProps } from "./tab-props.ts";

type Props = { member: User | ServiceAccount; change: TabProps["change"] };

/** Shows what users and service accounts have in common. */
export function MemberFacts({ member: { id, created_at, disabled_at }, change }: Props) {
  return (
    <>
      <Fact name="Changes">
        <button
          type="button"
          className="text-accent-text hover:underline"
          onClick={() => change({ tab: "audit", who: id, q: undefined, open: undefined })}
        >
          Show in the audit log
        </button>
      </Fact>
      <Fact name="Created">
        <Ago at={created_at} />
      </Fact>
      {disabled_at !== null && (
        <Fact name="Disabled">
          <Ago at={disabled_at} />
        </Fact>
      )}
      <Fact name="Id">
        <CopyId id={id} />
      </Fact>
    </>
  );
}

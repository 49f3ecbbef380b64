import type { MemoryActor, MemoryStore, MemoryVersion } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { berth } from "../../api/client.ts";
import { memoryVersionQuery } from "../../api/queries/memory-stores.ts";
import { queryClient } from "../../api/query-client.ts";
import { hunksBetween } from "../../format/diff-lines.ts";
import { formatBytes } from "../../format/numbers.ts";
import { formatMoment } from "../../format/time.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button, Spinner } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { CopyId } from "../../ui/copy.tsx";
import { DiffView } from "../../ui/diff-view.tsx";
import { ErrorBox } from "../../ui/error-box.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { toast } from "../../ui/toast.tsx";

type Props = { store: MemoryStore; versionId: string };

/** Shows the change that a version made, its author, and the button that redacts its text for good. */
export function VersionView({ store, versionId }: Props) {
  const version = useQuery(memoryVersionQuery(store.id, versionId));
  const before = useQuery({
    queryKey: ["memory stores", store.id, "versions", versionId, "before"],
    queryFn: () => versionBefore(store.id, version.data?.memory_id ?? "", versionId),
    enabled: version.data !== undefined,
  });
  const error = version.error ?? before.error;
  if (error !== null) return <ErrorBox error={error} className="m-4" />;
  if (version.data === undefined || before.data === undefined) return <Spinner className="m-4 text-faint" />;
  return <Shown store={store} version={version.data} before={before.data} />;
}

/** Returns the previous version of the same memory; null for its first. */
async function versionBefore(
  storeId: string,
  memoryId: string,
  versionId: string,
): Promise<MemoryVersion | null> {
  const { versions } = berth.memoryStores;
  const { data } = await versions.list(storeId, { memory_id: memoryId, after_id: versionId, limit: 1 });
  const [found] = data;
  return found === undefined ? null : await versions.get(storeId, found.id);
}

type ShownProps = { store: MemoryStore; version: MemoryVersion; before: MemoryVersion | null };

function Shown({ store, version, before }: ShownProps) {
  const [look, setLook] = useState<"unified" | "split">("unified");
  const hunks = useMemo(() => hunksBetween(before?.content ?? "", version.content ?? ""), [before, version]);
  const isMoved = before !== null && before.path !== null && before.path !== version.path;
  return (
    <>
      <div className="sticky top-0 z-10 flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-canvas px-4 py-1.5">
        <span className="min-w-0 truncate font-mono text-xs">{showUnseen(version.path ?? "Redacted")}</span>
        <CopyId id={version.id} short className="max-lg:hidden" />
        <span className="ml-auto flex items-center gap-1.5">
          <Segments
            label="View of the diff"
            value={look}
            choices={[
              { value: "unified", label: "Unified" },
              { value: "split", label: "Split" },
            ]}
            onChange={setLook}
          />
          <CallButton
            calls={[
              {
                operation: operations.memoryVersions.get,
                params: { memory_store_id: store.id, memory_version_id: version.id },
              },
            ]}
          />
          {version.redacted_at === null && <Redact store={store} version={version} />}
        </span>
      </div>
      <div className="border-b border-line px-4 py-2.5 text-xs text-muted">
        <p>
          {formatMoment(version.created_at)}, <Actor actor={version.created_by} />
          {version.size_bytes !== null && `, ${formatBytes(version.size_bytes)}`}
        </p>
        {isMoved && <p>Moved from {showUnseen(before.path ?? "")}.</p>}
        {version.redacted_at !== null && version.redacted_by !== null && (
          <p>
            Redacted {formatMoment(version.redacted_at)}, <Actor actor={version.redacted_by} />.
          </p>
        )}
      </div>
      <Difference version={version} before={before} hunks={hunks} split={look === "split"} />
    </>
  );
}

type DifferenceProps = {
  version: MemoryVersion;
  before: MemoryVersion | null;
  hunks: ReturnType<typeof hunksBetween>;
  split: boolean;
};

function Difference({ version, before, hunks, split }: DifferenceProps) {
  if (version.redacted_at !== null)
    return <p className="p-6 text-center text-muted">Its text was deleted for good.</p>;
  if (before?.redacted_at != null)
    return (
      <>
        <p className="px-4 pt-3 text-muted">
          The previous version was redacted, so all of the text is shown as new.
        </p>
        <DiffView hunks={hunks} split={split} />
      </>
    );
  if (hunks.length === 0)
    return <p className="p-6 text-center text-muted">The text is the same as in the previous version.</p>;
  return <DiffView hunks={hunks} split={split} />;
}

function Actor({ actor }: { actor: MemoryActor }) {
  if (actor.type === "api_actor")
    return (
      <>
        over the API by <CopyId id={actor.principal_id} short />
      </>
    );
  return (
    <>
      by{" "}
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: actor.session_id }}
        className="text-accent-text hover:underline"
      >
        a session
      </Link>
    </>
  );
}

function Redact({ store, version }: { store: MemoryStore; version: MemoryVersion }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button size="small" look="danger" onClick={() => setAsking(true)}>
        Redact…
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title="Redact this version?"
        verb="Redact"
        danger
        act={async () => {
          await berth.memoryStores.versions.redact(store.id, version.id);
          await queryClient.invalidateQueries({ queryKey: ["memory stores", store.id] });
          toast("The version is redacted");
        }}
      >
        Its path, text, hash and size are deleted for good; the version stays listed. The newest version of an
        existing memory cannot be redacted: change or delete the memory first.
      </Confirm>
    </>
  );
}

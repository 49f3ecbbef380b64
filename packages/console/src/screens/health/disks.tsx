import type { Health } from "@berth/sdk";
import { formatBytes, formatCount, formatPlural } from "../../format/numbers.ts";
import { cx } from "../../ui/cx.ts";
import { Fact, Facts } from "../../ui/section.tsx";
import { takenShare } from "./health-words.ts";
import { Panel } from "./panel.tsx";

/** The used share from which the disk counts as nearly full. The alert in the guide uses the same value. */
const NEARLY_FULL = 0.9;

/** Shows the stored data, and the free space. */
export function Disks({ health }: { health: Health }) {
  const { disk, database_bytes, session_disks, repository_snapshots: snapshots } = health;
  return (
    <Panel title="Disks">
      {disk === null ? (
        <p className="mb-3 text-muted">The disk of the data directory could not be measured.</p>
      ) : (
        <Room disk={disk} />
      )}
      <Facts>
        <Fact name="Database">{formatBytes(database_bytes)}</Fact>
        <Fact name="Session disks">
          {session_disks.count === 0
            ? "not measured"
            : `${formatBytes(session_disks.bytes)} of ${formatPlural(session_disks.count, "session")}`}
        </Fact>
        <Fact name="Repository snapshots">
          {snapshots.count === 0
            ? "no repository has a snapshot yet"
            : `${formatBytes(snapshots.bytes)}: ${formatCount(snapshots.count)} snapshots of ${formatPlural(snapshots.repositories, "repository", "repositories")}`}
        </Fact>
      </Facts>
    </Panel>
  );
}

function Room({ disk }: { disk: NonNullable<Health["disk"]> }) {
  const share = takenShare(disk);
  const isNearlyFull = share > NEARLY_FULL;
  return (
    <>
      <svg
        viewBox="0 0 100 2"
        preserveAspectRatio="none"
        aria-hidden="true"
        className="mb-2 h-2 w-full rounded-full"
      >
        <rect width="100" height="2" className="fill-selected" />
        <rect width={share * 100} height="2" className={isNearlyFull ? "fill-bad" : "fill-accent"} />
      </svg>
      <p className={cx("mb-3", isNearlyFull ? "text-bad" : "text-muted")}>
        {formatBytes(disk.free_bytes)} free of {formatBytes(disk.size_bytes)} where this service keeps its
        data
      </p>
    </>
  );
}

import type { Requirement } from "./requirement.ts";

export const backupRequirements: readonly Requirement[] = [
  {
    id: "backup-complete",
    source: "seed 1",
    rule: "berth backup copies a running installation to a new directory without holding it up; berth restore makes a data directory of it, in which every event and every content of a file is that was acknowledged before the backup's ended_at, with the tokens and secrets of then.",
  },
  {
    id: "backup-disks",
    source: "seed 1",
    rule: "The sessions of a restored installation continue without their disks, which session.container_reclaimed tells with the reason lost.",
  },
  {
    id: "backup-check",
    source: "seed 1",
    rule: "berth restore --check restores in a temporary directory, reads every content and removes what it made; it names each content that is missing or damaged, and exits with 1 then.",
  },
  {
    id: "backup-faults",
    source: "seed 1",
    rule: "A backup to or restore from a wrong place, with a wrong key, of another version's format or another architecture, or of a database of the operator's is refused in one sentence with exit code 2, and nothing is left of it.",
  },
  {
    id: "backup-altered",
    source: "seed 1",
    rule: "A backup in which something is neither a file nor a directory, or which does not match the digest that the installation's key made of it, is refused with exit code 2. Without the key, berth restore --check says that this is not known. Nothing of the configuration in a backup's database is in force, not even for a check.",
  },
  {
    id: "backup-stop",
    source: "seed 1",
    rule: "A backup that is asked to end leaves nothing; what a killed one left is no backup, and the next one to the same place removes it. A service that stops during a backup does not spoil it.",
  },
];

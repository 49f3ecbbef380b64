/** `berth doctor` prints one line for each group. */
export type ProbeGroup =
  | "filesystem"
  | "proc"
  | "processes"
  | "kernel"
  | "network"
  | "devices"
  | "privileges"
  | "sessions"
  | "resources"
  | "tables"
  | "git";

/** One attempt to break out of a sandbox, or to access something that does not belong to it. */
export interface Probe {
  /** Unique, `[a-z0-9_]+`. */
  id: string;
  group: ProbeGroup;
  /** What it tries. Completes the sentence "A program in the sandbox …". */
  tries: string;
  /**
   * POSIX shell text, run as the agent with the functions of `prelude.sh`. It succeeds, which is bad, by calling `breach` with its
   * evidence. It leaves no change behind, except in what it should not have accessed, and sends nothing beyond the machine.
   */
  script: string;
  /**
   * Who can succeed without a sandbox, which a test verifies: an ordinary user, root in namespaces of the test, or nobody, for the
   * reason given.
   */
  succeedsAs: "user" | "root" | { never: string };
}

export interface ProbeResult {
  probe: Probe;
  /** `untried` when the machine or the image lacks what the probe needs, or it took too long. */
  state: "held" | "breached" | "untried";
  /** The evidence of a breach; the error that a probe that held got, if it has a name; or why it was not tried. */
  detail: string;
}

/** Creates the probes of a group from rows. */
export function probeGroup(
  group: ProbeGroup,
  rows: readonly (readonly [id: string, tries: string, succeedsAs: Probe["succeedsAs"], script: string])[],
): readonly Probe[] {
  return rows.map(([id, tries, succeedsAs, script]) => ({ id, group, tries, succeedsAs, script }));
}

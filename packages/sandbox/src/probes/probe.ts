/** Groups of probes. `berth doctor` prints one line for each. */
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
  /** Unique id, `[a-z0-9_]+`. */
  id: string;
  group: ProbeGroup;
  /** The attempt. Completes the sentence "A program in the sandbox …". */
  tries: string;
  /**
   * POSIX shell text, run as the agent with the functions of `prelude.sh`. A probe that succeeds, which is
   * bad, calls `breach` with its evidence. It leaves no change behind, except in what it should not have
   * accessed, and sends nothing beyond the machine.
   */
  script: string;
  /**
   * Who can succeed without a sandbox, which a test verifies: an ordinary user, root in namespaces of the
   * test, or nobody, for the given reason.
   */
  succeedsAs: "user" | "root" | { never: string };
}

export interface ProbeResult {
  probe: Probe;
  /** `untried` when the machine or the image lacks what the probe needs, or it took too long. */
  state: "held" | "breached" | "untried";
  /** The evidence of a breach, the error that stopped a probe that held, or the reason why it was not run. */
  detail: string;
}

/** Creates the probes of a group from rows. */
export function probeGroup(
  group: ProbeGroup,
  rows: readonly (readonly [id: string, tries: string, succeedsAs: Probe["succeedsAs"], script: string])[],
): readonly Probe[] {
  return rows.map(([id, tries, succeedsAs, script]) => ({ id, group, tries, succeedsAs, script }));
}

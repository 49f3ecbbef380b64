/** What a probe is about: the line of `berth doctor` that tells of it. */
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
  | "git";

/** One attempt to get out of a sandbox, or to reach what is not its own. */
export interface Probe {
  /** Unique, `[a-z0-9_]+`. */
  id: string;
  group: ProbeGroup;
  /** What it tries, as a sentence that completes "a program inside …". */
  tries: string;
  /**
   * POSIX shell text, run as the agent with the functions of `prelude`. It succeeds, which is bad, only by calling `breach`
   * with what it saw. It changes nothing that outlasts it outside of what it should not have reached, and leaves the machine never.
   */
  how: string;
  /**
   * Where it is shown to be able to succeed: as a plain user of the host, as root of namespaces of a test's own, or nowhere,
   * for the reason given.
   */
  opens: "user" | "root" | { never: string };
}

export interface ProbeResult {
  probe: Probe;
  /** `untried` when the machine or image lacks what the probe needs, or it took too long. */
  state: "held" | "breached" | "untried";
  /** What was seen: of a breach its evidence, of one that held the refusal where it has a name. */
  detail: string;
}

/** The probes of one group from rows of id, what it tries, where it opens, and how. */
export function group(
  name: ProbeGroup,
  rows: readonly (readonly [id: string, tries: string, opens: Probe["opens"], how: string])[],
): readonly Probe[] {
  return rows.map(([id, tries, opens, how]) => ({ id, group: name, tries, opens, how }));
}

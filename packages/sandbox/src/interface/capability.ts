/** A capability that an engine's machine supports or lacks. */
export interface Capability {
  name: string;
  /**
   * `no` when something that users rely on is not enforced; `degraded` when something weaker is used instead.
   */
  state: "yes" | "no" | "degraded";
  /** One sentence that says what it does, or what is missing and how to get it. */
  detail: string;
}

export function yes(name: string, detail: string): Capability {
  return { name, state: "yes", detail };
}

export function degraded(name: string, detail: string): Capability {
  return { name, state: "degraded", detail };
}

export function no(name: string, detail: string): Capability {
  return { name, state: "no", detail };
}

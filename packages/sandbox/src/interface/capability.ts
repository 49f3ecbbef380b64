export interface Capability {
  name: string;
  /** `no` means that something users rely on is not enforced. */
  state: "yes" | "no" | "degraded";
  /** One sentence: what it does, or what is missing and how to get it. */
  detail: string;
}

/** It is there, and does all that it is for. */
export function yes(name: string, detail: string): Capability {
  return { name, state: "yes", detail };
}

/** Something stands in for it. */
export function degraded(name: string, detail: string): Capability {
  return { name, state: "degraded", detail };
}

export function no(name: string, detail: string): Capability {
  return { name, state: "no", detail };
}

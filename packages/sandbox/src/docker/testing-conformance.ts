import { type Kind, lackOf } from "../../../../tests/container-engine/container-engine.ts";
import { conformance, type Subject } from "../conformance/conformance.ts";
import { DISK_TESTS } from "../conformance/disk-tests.ts";
import { TEMPLATE_TESTS } from "../conformance/template-tests.ts";
import { startSubject } from "./testing-engine.ts";

const NO_OPTIONS =
  "no directory is mounted with such options; programs give no privileges, and devices are refused";

/** Probes that no container holds. */
const OPEN = {
  setuid_places: NO_OPTIONS,
  device_places: NO_OPTIONS,
  init_descriptors: "process 1 is spoken to by pipes, which its user may open; what it says is not trusted",
};

/** Probes that containers of an engine do not hold. */
const OPEN_PROBES: Readonly<Record<Kind, Record<string, string>>> = {
  dockerd: OPEN,
  podman: { ...OPEN, host_groups: "it hides the names of groups only of the kind that it makes" },
};

/** The suite on a real engine of this kind, which the test starts and stops. */
export function conformanceOf(kind: Kind): void {
  const lack = lackOf(kind);
  const skips: Record<string, string> = lack === null ? {} : { "*": lack };
  for (const title of Object.keys(DISK_TESTS)) skips[title] = "an engine of containers cannot limit a disk";
  for (const title of Object.keys(TEMPLATE_TESTS))
    skips[title] = "an engine of containers shows no templates";
  conformance(
    `docker with ${kind}`,
    async (): Promise<Subject> => {
      if (lack !== null) return { engine: unused(), uid: 71_000, close: async () => {} };
      return { ...(await startSubject(kind)), openProbes: OPEN_PROBES[kind] };
    },
    skips,
  );
}

function unused(): Subject["engine"] {
  return new Proxy({} as Subject["engine"], {
    get() {
      throw new Error("every test is skipped");
    },
  });
}

const NO_OPTIONS =
  "no directory is mounted with such options there; programs give no privileges, and devices are refused";

/** What an engine does not hold and need not, by its name: the probe's id and why that is bearable. */
export const KNOWN_BREACHES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  docker: {
    setuid_places: NO_OPTIONS,
    device_places: NO_OPTIONS,
    init_descriptors: "process 1 is spoken to by pipes, which its user may open; what it says is not trusted",
    host_groups: "Podman hides only the names of groups of the kind that it makes; they are names alone",
  },
};

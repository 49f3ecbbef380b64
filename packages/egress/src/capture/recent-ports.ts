/** Maximum number of ports; more would cost each namespace more than they save. */
const MAX_PORTS = 4;

/**
 * The ports other than 80 and 443 that policies have named recently, such as that of a git host. Namespaces
 * made in advance listen there from the start. Adding a port later starts a helper process, which takes
 * longer than all other steps of opening a namespace.
 */
export class RecentPorts {
  #ports: readonly number[] = [];

  /** Ordered by last use, most recent first. */
  get list(): readonly number[] {
    return this.#ports;
  }

  add(ports: readonly number[]): void {
    this.#ports = [...new Set([...ports, ...this.#ports])].slice(0, MAX_PORTS);
  }
}

/** More would cost each namespace more than they save. */
const MOST = 4;

/**
 * The ports, beside the usual ones, that policies have named of late, as of a git host that is not at 443. What is made ahead
 * listens there already: afterwards that takes a program, and longer than all the rest of opening a namespace.
 */
export class NamedPorts {
  #ports: readonly number[] = [];

  /** Latest first. */
  get lately(): readonly number[] {
    return this.#ports;
  }

  add(ports: readonly number[]): void {
    this.#ports = [...new Set([...ports, ...this.#ports])].slice(0, MOST);
  }
}

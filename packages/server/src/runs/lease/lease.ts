/**
 * Who may run a session: its turn, its sandbox and its disk. A lease is valid while the row of the session names both
 * this owner and this epoch; every write of a run names them in the same statement.
 */
export interface Lease {
  /** uuid. */
  readonly sessionId: string;
  readonly owner: string;
  readonly epoch: number;
}

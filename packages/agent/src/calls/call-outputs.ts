/** What the calls of a turn print while they run. Only commands print. */
export interface CallOutputs {
  /** A call begins. @param eventId of the event that announced it. */
  begin(eventId: string): CallOutput;
  /**
   * What calls that a dead process left without a result had printed, by the ids of the events that announced them. Those of which
   * nothing is known are left out.
   */
  ofDead(eventIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface CallOutput {
  /** Takes what was printed, in order. Bytes are copied. */
  add(bytes: Uint8Array): void;
  /** The beginning and the end of it, without secrets. Empty when nothing was printed. */
  text(): string;
  /** The call has its result in the log. */
  end(): void;
}

/** The output of a turn's running calls. Only commands have any. */
export interface CallOutputs {
  /** Starts recording a call. @param eventId id of the event that announced the call. */
  begin(eventId: string): CallOutput;
  /**
   * Returns the output of calls that a dead process left without a result, by the id of the event that
   * announced each. Calls without a recorded output are missing from the map.
   */
  ofDead(eventIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** The output of one running call. */
export interface CallOutput {
  /** Appends output. The bytes are copied. */
  add(bytes: Uint8Array): void;
  /** Returns the beginning and the end of the output, without secrets; empty when nothing was printed. */
  text(): string;
  /** Ends the recording; the call's result is in the log. */
  end(): void;
}

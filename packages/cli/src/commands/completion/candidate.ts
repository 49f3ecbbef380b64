/** A possible completion of a word. */
export interface Candidate {
  value: string;
  about?: string | undefined;
}

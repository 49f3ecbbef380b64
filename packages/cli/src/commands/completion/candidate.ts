/** What a word can be. */
export interface Candidate {
  value: string;
  about?: string | undefined;
}

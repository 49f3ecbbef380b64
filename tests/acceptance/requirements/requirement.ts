/**
 * A rule of the API. `source` is the section of the interface description (`seed`), or of the document that
 * completes it (`api`), that the rule comes from. At least one test over HTTP cites each id; coverage.test.ts
 * checks that.
 */
export interface Requirement {
  id: string;
  source: string;
  rule: string;
}

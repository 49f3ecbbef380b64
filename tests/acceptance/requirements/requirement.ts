/**
 * What the service promises, one rule an entry, in our own words. `source` names the section of the interface
 * description that a rule comes from (`seed`) or of the document that fills its gaps (`api`).
 * Each rule is proved by at least one test over HTTP that cites its id; coverage.test.ts holds both to that.
 */
export interface Requirement {
  id: string;
  source: string;
  rule: string;
}

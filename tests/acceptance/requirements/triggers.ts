import type { Requirement } from "./requirement.ts";

const source = "issue Connected, triggers";

export const triggerRequirements: readonly Requirement[] = [
  {
    id: "trigger-crud",
    source,
    rule: "Triggers of a deployment are made, read, listed, changed and deleted by whoever may change the deployment; readers see them, and what was delivered; secrets and tokens are sealed, and the secret is returned once.",
  },
  {
    id: "trigger-bad-input",
    source,
    rule: "A field of another type, a connection that is not the owner's, a trigger by which nobody may ask, and the 33rd of a deployment are rejected with one sentence.",
  },
  {
    id: "trigger-signatures",
    source,
    rule: "An address takes what its sender has signed, each in its own way: 202 before anything is done; 401 for a wrong signature, one older than five minutes, and an address that is not known; each delivery id once.",
  },
  {
    id: "trigger-refusals",
    source,
    rule: "More than 1 MiB is 413, what is no JSON object 400, a paused or archived deployment 200 with nothing done, and more than its limit an hour 429 with the time to wait; the limit is exact, whatever comes at once.",
  },
  {
    id: "trigger-event",
    source,
    rule: "What was delivered is a document of the first message, marked as foreign text and cut; the run says by what it was triggered; a filter chooses events by name and by what the body has.",
  },
  {
    id: "trigger-asks",
    source,
    rule: "An issue labelled `berth` or a comment `@berth …` starts a session on that repository, and is answered where it was asked: a reaction, a comment with a link, and what the agent says at the end. A later comment goes to the same session. On a pull request it works on the branch, if it is the repository's own.",
  },
  {
    id: "trigger-rights",
    source,
    rule: "Who may ask is by the host's permission and an allow list, never by text; programs and Berth's own comments never ask.",
  },
  {
    id: "trigger-push",
    source,
    rule: "A push to a git host that tells a trigger of it starts a session that pushes a fix.",
  },
  {
    id: "trigger-chat",
    source,
    rule: "A mention at Slack, Linear or Jira by somebody who is allowed starts a session, and a later word in its thread goes to the same one.",
  },
];

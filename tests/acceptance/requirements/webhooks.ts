import type { Requirement } from "./requirement.ts";

export const webhookRequirements: readonly Requirement[] = [
  {
    id: "webhook-crud",
    source: "issue Connected, webhooks",
    rule: "Webhooks have an owner, which is the organization if an admin or a service account says so; they are listed newest first, read, changed and deleted; their key is returned when it is made, and never again.",
  },
  {
    id: "webhook-bad-input",
    source: "issue Connected, webhooks",
    rule: "An address that is not https, or private, where the operator does not allow it, an unknown event, a field of another format, and the 33rd webhook of an owner are rejected with one sentence; nothing is stored.",
  },
  {
    id: "webhook-events",
    source: "issue Connected, webhooks",
    rule: "What happens to sessions, pull requests, deployments and their runs, agents, environments, vaults, credentials and memory stores is written in the transaction in which it happens, and sent to the webhooks that enable it: type, id and organization, signed as Standard Webhooks say.",
  },
  {
    id: "webhook-privacy",
    source: "issue Connected, webhooks",
    rule: "A user's webhook hears of what the user owns; one of the organization of what all its members see; nobody of another organization or of a member's private objects.",
  },
  {
    id: "webhook-retries",
    source: "issue Connected, webhooks",
    rule: "A delivery without a 2xx within 15 seconds is tried again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h; 410 disables the webhook, and so do 20 events in a row that are missed; a disabled one keeps what was pending, and an event can be delivered again under the same webhook-id.",
  },
  {
    id: "webhook-test",
    source: "issue Connected, webhooks",
    rule: "POST …/test sends an event at once and answers ok and one sentence: what the receiver answered, a redirect, which is not followed, or that the host does not resolve or may not be reached.",
  },
  {
    id: "webhook-rotation",
    source: "issue Connected, webhooks",
    rule: "After a rotation of the key, requests are signed with both for 24 hours.",
  },
  {
    id: "webhook-slack",
    source: "issue Connected, webhooks",
    rule: "A webhook for Slack sends one line, who waits for whom, with a link; its address is a secret that no response shows whole.",
  },
  {
    id: "webhook-mail",
    source: "issue Connected, webhooks",
    rule: "A webhook for email sends the same line through the operator's relay, to members of the organization alone.",
  },
];

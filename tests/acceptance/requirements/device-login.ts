import type { Requirement } from "./requirement.ts";

/** Rules for logins without a token, which a user approves elsewhere. */
export const deviceLoginRequirements: readonly Requirement[] = [
  {
    id: "device-login",
    source: "RFC 8628",
    rule: "Without a token, a device gets a device code, a user code of eight letters that are not mistaken for others, the address of the service, the command that approves, 600 seconds and an interval of 5. After a user approved the user code, one poll with the device code returns a token: the user's own, listed, revocable, named after the device, created with the approving token. Every other poll returns none.",
  },
  {
    id: "device-polls",
    source: "RFC 8628",
    rule: "Polls are refused with a code for programs: 409 authorization_pending, 429 slow_down for one before the interval is over, 403 access_denied, 400 expired_token, 400 invalid_grant for a code that is unknown or whose token was given.",
  },
  {
    id: "device-approval",
    source: "RFC 8628",
    rule: "A user with the scope tokens:write sees what asks, from which address and for which scopes, and approves or denies. The token has no scope that was not asked for, and none that the approving token lacks; it is revoked and expires with that one. A code decides once. A service account cannot decide.",
  },
  {
    id: "device-operator",
    source: "seed 8",
    rule: "berth admin login approve and deny decide with an operator token, for a named user, with entries in the audit log.",
  },
  {
    id: "device-secrets",
    source: "seed 8",
    rule: "Codes and tokens of devices are in no log, audit entry or column of the database. Approval, denial and the creation of the token have entries in the audit log.",
  },
  {
    id: "device-limits",
    source: "seed 8",
    rule: "50 logins can wait for one client address, and a user can try 20 user codes at once; more are answered with 429. BERTH_ADDRESS_LIMITS also counts requests without a token.",
  },
];

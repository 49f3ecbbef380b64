type Listener = () => void;

/**
 * Whether the service refused the last request for want of a sign-in. The sign-in screen then covers the page, which stays as it
 * is beneath, with all that was typed.
 */
let signedOut = false;
let signIns = 0;
const listeners = new Set<Listener>();

export function isSignedOut(): boolean {
  return signedOut;
}

/** How often somebody has signed in on this page: a request notes it as it leaves. */
export function signInCount(): number {
  return signIns;
}

export function noteSignIn(): void {
  signIns += 1;
  setSignedOut(false);
}

/**
 * A request that left after `count` sign-ins was refused for want of one. Returns whether that tells of now: a refusal that comes
 * after the next sign-in does not, and covers nothing.
 */
export function noteRefusal(count: number): boolean {
  if (count !== signIns) return false;
  setSignedOut(true);
  return true;
}

export function onSignedOutChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setSignedOut(value: boolean): void {
  if (signedOut === value) return;
  signedOut = value;
  for (const listener of listeners) listener();
}

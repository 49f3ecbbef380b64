type Listener = () => void;

/**
 * Whether the service rejected the last request as unauthenticated. The sign-in screen then covers the page,
 * which keeps its state and all typed text.
 */
let signedOut = false;
let signIns = 0;
const listeners = new Set<Listener>();

export function isSignedOut(): boolean {
  return signedOut;
}

/** Returns the number of sign-ins on this page, which a request remembers when it is sent. */
export function signInCount(): number {
  return signIns;
}

/** Records that somebody has signed in on this page. */
export function noteSignIn(): void {
  signIns += 1;
  setSignedOut(false);
}

/**
 * Records that a request sent after `count` sign-ins was rejected as unauthenticated. Returns false and
 * changes nothing if somebody has signed in since then.
 */
export function noteRefusal(count: number): boolean {
  if (count !== signIns) return false;
  setSignedOut(true);
  return true;
}

/** Calls the listener after each change, until the returned function is called. */
export function onSignedOutChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setSignedOut(value: boolean): void {
  if (signedOut === value) return;
  signedOut = value;
  for (const listener of listeners) listener();
}

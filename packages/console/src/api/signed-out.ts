type Listener = () => void;

/**
 * Whether the service refused the last request for want of a sign-in. The sign-in screen then covers the page, which stays as it
 * is beneath, with all that was typed.
 */
let signedOut = false;
const listeners = new Set<Listener>();

export function isSignedOut(): boolean {
  return signedOut;
}

export function setSignedOut(value: boolean): void {
  if (signedOut === value) return;
  signedOut = value;
  for (const listener of listeners) listener();
}

export function onSignedOutChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

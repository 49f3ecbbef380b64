type Listener = () => void;

/** Whether the service responded to the last request. A proxy's 502 or 504 does not count as a response. */
let connected = true;
const listeners = new Set<Listener>();

export function isConnected(): boolean {
  return connected;
}

export function setConnected(value: boolean): void {
  if (connected === value) return;
  connected = value;
  for (const listener of listeners) listener();
}

/** Calls the listener after each change, until the returned function is called. */
export function onConnectionChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Checks whether the service can be reached. */
export async function checkConnection(signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch("/livez", { signal, cache: "no-store" });
    setConnected(response.ok);
  } catch {
    if (!signal.aborted) setConnected(false);
  }
}

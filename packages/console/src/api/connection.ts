type Listener = () => void;

/** Whether the service answered the last request. What comes from a proxy alone, that it is not there, is no answer. */
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

export function onConnectionChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Asks whether the service is there. */
export async function checkConnection(signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch("/livez", { signal, cache: "no-store" });
    setConnected(response.ok);
  } catch {
    if (!signal.aborted) setConnected(false);
  }
}

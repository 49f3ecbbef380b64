/** Runs `action` at the first call; every call gets that one promise. */
export function runOnce<Value>(action: () => Promise<Value>): () => Promise<Value> {
  let done: Promise<Value> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}

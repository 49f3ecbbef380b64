/** Returns a function that runs `action` on its first call and returns the same promise on every call. */
export function runOnce<Value>(action: () => Promise<Value>): () => Promise<Value> {
  let done: Promise<Value> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}

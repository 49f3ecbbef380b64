/** Runs `action` at the first call; every call gets that one promise. */
export function runOnce(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}

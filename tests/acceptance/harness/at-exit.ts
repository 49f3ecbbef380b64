const ends = new Set<() => void>();

// One listener for all: Node.js warns of a leak above ten, and a test may start more servers.
process.once("exit", () => {
  for (const end of ends) end();
});

/** Calls `end` when this process exits, unless the function that it returns is called before. */
export function atExit(end: () => void): () => void {
  ends.add(end);
  return () => {
    ends.delete(end);
  };
}

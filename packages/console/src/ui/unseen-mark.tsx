/** Shows that a session came to something since the user last looked. */
export function UnseenMark() {
  return (
    <span title="Not seen" className="size-2 shrink-0 rounded-full bg-accent">
      <span className="sr-only">Not seen</span>
    </span>
  );
}

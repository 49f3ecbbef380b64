/** Lines to print for one event, and how they stand to what is above: apart, or in one group with other notes. */
export interface Block {
  place: "apart" | "note";
  lines: string[];
}

export function apart(lines: string[]): Block {
  return { place: "apart", lines };
}

export function note(...lines: string[]): Block {
  return { place: "note", lines };
}

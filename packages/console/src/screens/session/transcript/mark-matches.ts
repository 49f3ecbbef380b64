/**
 * Marks each occurrence of a text in an element with the browser's highlights, without changing the element.
 * Returns a function that removes the marks.
 */
export function markMatches(element: HTMLElement | null, sought: string): () => void {
  const words = sought.trim().toLowerCase();
  if (!("highlights" in CSS) || element === null || words === "") return () => undefined;
  CSS.highlights.set("search", new Highlight(...rangesIn(element, words)));
  return () => void CSS.highlights.delete("search");
}

function rangesIn(element: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? "";
    for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      ranges.push(range);
    }
  }
  return ranges;
}

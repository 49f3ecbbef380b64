/** Marks every place of the text in the element, without touching the element: by the browser's own highlights. */
export function markMatches(element: HTMLElement | null, sought: string): void {
  if (!("highlights" in CSS)) return;
  const words = sought.trim().toLowerCase();
  if (element === null || words === "") {
    CSS.highlights.delete("search");
    return;
  }
  CSS.highlights.set("search", new Highlight(...rangesIn(element, words)));
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

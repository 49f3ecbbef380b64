/**
 * Returns how well a text matches what was typed; null for no match, otherwise less is better. Each typed
 * word must begin a word of the text, occur in it, or have its letters occur there in order.
 */
export function matchRank(text: string, typed: string): number | null {
  const hay = text.toLowerCase();
  let rank = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = hay.indexOf(word);
    if (at === 0) continue;
    if (at > 0) rank += /[\s/_.:-]/.test(hay[at - 1] ?? "") ? 1 : 2;
    else if (isSpread(hay, word)) rank += 6;
    else return null;
  }
  return rank + hay.length / 1_000;
}

function isSpread(hay: string, word: string): boolean {
  let from = 0;
  for (const letter of word) {
    const at = hay.indexOf(letter, from);
    if (at === -1) return false;
    from = at + 1;
  }
  return word.length > 2;
}

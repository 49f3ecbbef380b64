/** The first rows of a table in text, with cells in quotes as RFC 4180 has them. */
export function parseCsv(text: string, separator: string, maxRows: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const endCell = () => {
    row.push(cell);
    cell = "";
  };
  for (let at = 0; at < text.length && rows.length < maxRows; at++) {
    const letter = text[at];
    if (quoted && letter === '"' && text[at + 1] === '"') cell += text[at++];
    else if (letter === '"' && (quoted || cell === "")) quoted = !quoted;
    else if (!quoted && letter === separator) endCell();
    else if (!quoted && letter === "\n") {
      endCell();
      rows.push(row);
      row = [];
    } else if (quoted || letter !== "\r") cell += letter;
  }
  if (rows.length < maxRows && (cell !== "" || row.length > 0)) {
    endCell();
    rows.push(row);
  }
  return rows;
}

/**
 * Rows as RFC 4180 has them. A text that a spreadsheet would take for a formula gets an apostrophe in front, which spreadsheets read as "this is
 * text": names are chosen by others.
 */
export function formatCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

function cellOf(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

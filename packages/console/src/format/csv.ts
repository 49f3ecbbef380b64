/** Parses the first rows of a table, with quoted cells as in RFC 4180. */
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
 * Formats rows as in RFC 4180. A text that a spreadsheet would take for a formula is prefixed with an
 * apostrophe, which marks it as text: names come from other users.
 */
export function formatCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

function cellOf(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

import type { Input } from "./input.ts";

const texts: Record<string, string | Uint8Array<ArrayBuffer>> = {
  "only blanks": "  \n",
  "a mark of byte order alone": Uint8Array.of(0xef, 0xbb, 0xbf),
  "no end": '{"name":"a"',
  "no quotes": "{name:1}",
  "single quotes": "{'name':'a'}",
  "a comma at the end": '{"name":"a",}',
  "a comma at the end of a list": '{"name":["a",]}',
  "two commas": '{"a":1,,"b":2}',
  "two documents": '{"name":"a"}{"name":"b"}',
  "text after the document": '{"name":"a"} x',
  "a comment": '{"name":"a"/* c */}',
  NaN: '{"name":NaN}',
  Infinity: '{"name":Infinity}',
  undefined: '{"name":undefined}',
  "a leading zero": '{"name":01}',
  "a plus sign": '{"name":+1}',
  "a number that stops": '{"name":1.}',
  "a hexadecimal number": '{"name":0x1}',
  "a line end in a string": '{"name":"a\nb"}',
  "an unknown escape": '{"name":"\\x41"}',
  "half of an escape": '{"name":"\\u12"}',
  "an overlong encoding": Uint8Array.from([...new TextEncoder().encode('{"name":"'), 0xc0, 0xaf, 0x22, 0x7d]),
  "a byte that is no UTF-8": Uint8Array.from([...new TextEncoder().encode('{"name":"'), 0xff, 0x22, 0x7d]),
  "UTF-16": Uint8Array.from([0xff, 0xfe, ...[...'{"name":"a"}'].flatMap((c) => [c.charCodeAt(0), 0])]),
  "only a bracket": "[",
  "a form": "name=a&model=b",
};

/** Bodies that are not JSON, and documents that are not objects. */
export const jsonSyntax: Input[] = [
  ...Object.entries(texts).map(([name, body]) => ({ name, body })),
  ...["null", "true", "1", '"text"', "[]", '[{"name":"a"}]'].map((body) => ({
    name: `the document ${body}`,
    body,
  })),
].map((input) => ({
  ...input,
  method: "POST",
  path: "/agents",
  headers: { "content-type": "application/json" },
}));

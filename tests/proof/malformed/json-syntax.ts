import type { Input } from "./input.ts";

const INVALID_JSON: Record<string, string | Uint8Array<ArrayBuffer>> = {
  "only white space": "  \n",
  "only a byte order mark": Uint8Array.of(0xef, 0xbb, 0xbf),
  "an unterminated object": '{"name":"a"',
  "a key without quotes": "{name:1}",
  "single quotes": "{'name':'a'}",
  "a trailing comma": '{"name":"a",}',
  "a trailing comma in an array": '{"name":["a",]}',
  "two commas": '{"a":1,,"b":2}',
  "two documents": '{"name":"a"}{"name":"b"}',
  "text after the document": '{"name":"a"} x',
  "a comment": '{"name":"a"/* c */}',
  NaN: '{"name":NaN}',
  Infinity: '{"name":Infinity}',
  undefined: '{"name":undefined}',
  "a leading zero": '{"name":01}',
  "a plus sign": '{"name":+1}',
  "a number that ends with a point": '{"name":1.}',
  "a hexadecimal number": '{"name":0x1}',
  "a line break in a string": '{"name":"a\nb"}',
  "an unknown escape": '{"name":"\\x41"}',
  "an incomplete escape": '{"name":"\\u12"}',
  "an overlong encoding": Uint8Array.from([...new TextEncoder().encode('{"name":"'), 0xc0, 0xaf, 0x22, 0x7d]),
  "invalid UTF-8": Uint8Array.from([...new TextEncoder().encode('{"name":"'), 0xff, 0x22, 0x7d]),
  "UTF-16": Uint8Array.from([0xff, 0xfe, ...[...'{"name":"a"}'].flatMap((c) => [c.charCodeAt(0), 0])]),
  "only a bracket": "[",
  "a form": "name=a&model=b",
};

/** Bodies that are not JSON, and documents that are not objects. */
export const jsonSyntax: Input[] = [
  ...Object.entries(INVALID_JSON).map(([name, body]) => ({ name, body })),
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

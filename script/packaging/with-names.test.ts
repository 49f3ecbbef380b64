import assert from "node:assert/strict";
import { test } from "node:test";
import { withNames } from "./with-names.ts";

const item = { name: "Item", type: "{\n    id: string;\n    of: {\n        n: number;\n    };\n}" };
const frame = { name: "Frame", type: "{\n    a: 1;\n} | {\n    b: 2;\n}" };

test("an object type inside another is written by its name, at any depth", () => {
  const text =
    "{\n    data: {\n        id: string;\n        of: {\n            n: number;\n        };\n    }[];\n    next: string;\n}";
  assert.equal(withNames(text, [item]), "{\n  data: Item[];\n  next: string;\n}");
});

test("a union is replaced in parentheses only, since an array binds to its last member", () => {
  const list = "{\n    data: ({\n        a: 1;\n    } | {\n        b: 2;\n    })[];\n}";
  assert.equal(withNames(list, [frame]), "{\n  data: Frame[];\n}");
  const other = "{\n  data: {\n    a: 1;\n  } | {\n    b: 2;\n  }[];\n}";
  assert.equal(withNames(other, [frame]), other);
});

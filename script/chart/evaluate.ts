import type { Expression } from "./expression.ts";
import { FUNCTIONS, isTrue, textOf, type Value } from "./functions.ts";
import type { Node } from "./parse-template.ts";

/** The named templates of the chart. */
export type Named = ReadonlyMap<string, readonly Node[]>;

interface Scope {
  named: Named;
  dot: Value;
  /** The variables, including "$", which is the template's data. */
  variables: ReadonlyMap<string, Value>;
}

/** Renders a template with `data`. */
export function render(body: readonly Node[], named: Named, data: Value): string {
  return renderBody(body, { named, dot: data, variables: new Map([["$", data]]) });
}

function renderBody(body: readonly Node[], outer: Scope): string {
  let [text, scope] = ["", outer];
  for (const node of body)
    if (node.kind === "set") scope = withVariables(scope, [[node.name, evaluate(node.of, scope)]]);
    else text += renderNode(node, scope);
  return text;
}

function renderNode(node: Exclude<Node, { kind: "set" }>, scope: Scope): string {
  if (node.kind === "text") return node.text;
  if (node.kind === "print") return textOf(evaluate(node.of, scope));
  if (node.kind === "if") {
    const chosen = node.branches.find(({ of }) => of === null || isTrue(evaluate(of, scope)));
    return renderBody(chosen?.body ?? [], scope);
  }
  const value = evaluate(node.of, scope);
  if (node.kind === "with") return isTrue(value) ? renderBody(node.body, { ...scope, dot: value }) : "";
  const renderOne = ([key, one]: [Value, Value]) =>
    renderBody(node.body, withVariables({ ...scope, dot: one }, rangeVariables(node.names, key, one)));
  return entriesOf(value).map(renderOne).join("");
}

/** Returns the variables of a range item; `range $value :=` has only the value. */
function rangeVariables(names: readonly string[], key: Value, value: Value): [string, Value][] {
  const [first = "", second] = names;
  if (second !== undefined)
    return [
      [first, key],
      [second, value],
    ];
  return names.length === 0 ? [] : [[first, value]];
}

function entriesOf(value: Value): [Value, Value][] {
  if (Array.isArray(value)) return value.map((one, at) => [at, one]);
  if (typeof value !== "object" || value === null) throw new Error("only a list or a map has a range");
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}

function withVariables(scope: Scope, added: readonly [string, Value][]): Scope {
  return { ...scope, variables: new Map([...scope.variables, ...added]) };
}

function evaluate(expression: Expression, scope: Scope): Value {
  if (expression.kind === "literal") return expression.value;
  if (expression.kind === "field") return fieldOf(expression, scope);
  const words = expression.words.map((word) => evaluate(word, scope));
  if (expression.name === "include") return include(words, scope);
  const run = FUNCTIONS[expression.name];
  if (run === undefined) throw new Error(`the function '${expression.name}' is not known`);
  return run(...words);
}

function include([name, data]: readonly Value[], { named }: Scope): string {
  const body = named.get(String(name));
  if (body === undefined) throw new Error(`no template is named '${name}'`);
  return render(body, named, data);
}

/**
 * Returns a field. Every field has to exist, since a value that is missing in values.yaml is a mistake in the
 * template.
 */
function fieldOf({ from, path }: Extract<Expression, { kind: "field" }>, scope: Scope): Value {
  if (from !== "" && !scope.variables.has(from)) throw new Error(`the variable ${from} is not known`);
  let value = from === "" ? scope.dot : scope.variables.get(from);
  for (const name of path) {
    if (typeof value !== "object" || value === null || !(name in value))
      throw new Error(`${from}.${path.join(".")} has no '${name}'`);
    value = (value as Record<string, Value>)[name];
  }
  return value;
}

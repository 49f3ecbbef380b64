import { readFile } from "node:fs/promises";
import {
  buildSchema,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import type { Token } from "../tokens.ts";
import type { Hub } from "./hub.ts";
import { mutationsOf } from "./mutations.ts";
import { connection, discussionObject, repositoryObject } from "./objects.ts";
import { Refusal } from "./refusal.ts";

export interface GraphqlRequest {
  query: string;
  variables?: Readonly<Record<string, unknown>>;
  operationName?: string;
}

/** Answers a query as GitHub's API of this schema does: faults of the query itself and refusals are among `errors`. */
export async function answerGraphql(hub: Hub, token: Token, request: GraphqlRequest): Promise<object> {
  const schema = await gitHubSchema();
  try {
    const document = parse(request.query);
    const faults = validate(schema, document, rules);
    if (faults.length > 0) return { errors: faults };
    const result = await execute({
      schema,
      document,
      rootValue: { ...queriesOf(hub, token), ...mutationsOf(hub, token) },
      variableValues: request.variables,
      operationName: request.operationName,
    });
    return shown(result);
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}

function queriesOf(hub: Hub, token: Token): object {
  const viewer = { __typename: "User", id: `U_${token.user}`, login: token.user, name: token.user };
  return {
    viewer,
    repository: ({ owner, name }: { owner: string; name: string }) =>
      repositoryObject(hub, hub.open(token, owner, name)),
    search: ({ query }: { query: string }) => found(hub, token, query),
  };
}

/** Open pull requests by repository and author, which is what is asked for with a checkout at hand. */
function found(hub: Hub, token: Token, query: string): object {
  const [, org = "", name = ""] = /repo:([\w.-]+)\/([\w.-]+)/.exec(query) ?? [];
  const author = /author:([\w.-]+)/.exec(query)?.[1];
  const sight = hub.open(token, org, name);
  const all = sight.project.pullRequests.filter((one) => one.author === author);
  const page = connection(all, { states: ["OPEN"] }, (one) => discussionObject(hub, sight, one));
  return { ...page, issueCount: all.length };
}

/** GitHub lets fields of one name have other types in issues than in pull requests, and its command-line tool relies on that. */
const rules = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/** GitHub tells the kind of a refusal beside its message. */
function shown({ data, errors }: ExecutionResult): object {
  const told = errors?.map((error) => ({
    ...(error.originalError instanceof Refusal ? { type: error.originalError.type } : {}),
    ...error.toJSON(),
  }));
  return { data, ...(told === undefined ? {} : { errors: told }) };
}

let built: Promise<GraphQLSchema> | undefined;

/** Built when first asked for, since few tests do. */
function gitHubSchema(): Promise<GraphQLSchema> {
  const file = new URL("schema.graphql", import.meta.resolve("@octokit/graphql-schema"));
  built ??= readFile(file, "utf8").then((text) => buildSchema(text, { assumeValid: true, noLocation: true }));
  return built;
}

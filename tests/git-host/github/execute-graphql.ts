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
import { GitHubError, type GraphqlRequest, type Hub } from "./hub.ts";
import { mutationsOf } from "./mutations.ts";
import { connection, discussionObject, repositoryObject } from "./objects.ts";

/** Executes a query against GitHub's schema. Invalid queries and denied access are reported in `errors`. */
export async function executeGraphql(hub: Hub, token: Token, request: GraphqlRequest): Promise<object> {
  const schema = await gitHubSchema();
  try {
    const document = parse(request.query);
    const faults = validate(schema, document, RULES);
    if (faults.length > 0) return { errors: faults };
    const result = await execute({
      schema,
      document,
      rootValue: { ...queriesOf(hub, token), ...mutationsOf(hub, token) },
      variableValues: request.variables,
      operationName: request.operationName,
    });
    return toResponse(result);
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
      repositoryObject(hub, hub.view(token, owner, name)),
    search: ({ query }: { query: string }) => searchPullRequests(hub, token, query),
  };
}

/**
 * Finds open pull requests by repository and author, which is the search that `gh` sends inside a checkout.
 */
function searchPullRequests(hub: Hub, token: Token, query: string): object {
  const [, org = "", name = ""] = /repo:([\w.-]+)\/([\w.-]+)/.exec(query) ?? [];
  const author = /author:([\w.-]+)/.exec(query)?.[1];
  const view = hub.view(token, org, name);
  const all = view.project.pullRequests.filter((one) => one.author === author);
  const page = connection(all, { states: ["OPEN"] }, (one) => discussionObject(hub, view, one));
  return { ...page, issueCount: all.length };
}

/**
 * The validation rules. One is omitted because on GitHub a field may have different types in issues and pull
 * requests, and `gh` relies on that.
 */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/** Adds the `type` of an error beside its message, as GitHub does. */
function toResponse({ data, errors }: ExecutionResult): object {
  const typed = errors?.map((error) => ({
    ...(error.originalError instanceof GitHubError ? { type: error.originalError.type } : {}),
    ...error.toJSON(),
  }));
  return { data, ...(typed === undefined ? {} : { errors: typed }) };
}

let schema: Promise<GraphQLSchema> | undefined;

/** Builds the schema at first use, because few tests need it. */
function gitHubSchema(): Promise<GraphQLSchema> {
  const file = new URL("schema.graphql", import.meta.resolve("@octokit/graphql-schema"));
  schema ??= readFile(file, "utf8").then((text) =>
    buildSchema(text, { assumeValid: true, noLocation: true }),
  );
  return schema;
}

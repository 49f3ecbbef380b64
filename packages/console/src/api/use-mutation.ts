import { type UseMutationOptions, useMutation as useQueryMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { OneAtATime } from "./one-at-a-time.ts";

/**
 * As that of TanStack Query, but one at a time: what is asked for while it is under way is dropped. Of two presses of a key the second
 * can come before the screen has shown what the first one did.
 */
export function useMutation<Data, Variables = void>(options: UseMutationOptions<Data, Error, Variables>) {
  const mutation = useQueryMutation(options);
  const one = useRef(new OneAtATime()).current;
  useEffect(() => {
    if (!mutation.isPending) one.end();
  });
  const mutate = (variables: Variables) => one.begin(() => mutation.mutate(variables));
  return { ...mutation, mutate };
}

import { type UseMutationOptions, useMutation as useQueryMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { OneAtATime } from "./one-at-a-time.ts";

/**
 * Works like TanStack Query's `useMutation`, but ignores calls while one is running. A second key press can
 * come before the screen shows the effect of the first.
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

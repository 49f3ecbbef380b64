import { APIError } from "@berth/sdk";
import { useEffect } from "react";
import { useMutation } from "../api/use-mutation.ts";

/** A fault of a field that is found before the request. */
export class FormFault extends Error {
  readonly place: string;

  constructor(place: string, message: string) {
    super(message);
    this.place = place;
  }
}

/**
 * Saves a form. An error of the service is shown at the field that `placeOf` returns for the error's `param`;
 * the first such field gets the focus.
 */
export function useSave<Result>(options: {
  act: () => Promise<Result>;
  placeOf: (param: string) => string;
  onSaved: (result: Result) => void;
}) {
  const { act, placeOf, onSaved } = options;
  const saving = useMutation({ mutationFn: act, onSuccess: onSaved });
  const { error } = saving;
  useEffect(() => {
    if (error !== null) document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const place = placeOfError(error, placeOf);
  const faultAt = (field: string) => (place === field && error !== null ? error.message : null);
  return { save: () => saving.mutate(), busy: saving.isPending, error, faultAt, forget: saving.reset };
}

export type Saving = Pick<ReturnType<typeof useSave>, "save" | "busy" | "error" | "forget">;

export type FaultAt = (field: string) => string | null;

function placeOfError(error: Error | null, placeOf: (param: string) => string): string | null {
  if (error instanceof FormFault) return error.place;
  return error instanceof APIError && error.param !== null ? placeOf(error.param) : null;
}

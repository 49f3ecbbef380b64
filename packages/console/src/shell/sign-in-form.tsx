import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { oidcAddress, signInMethods, signInWithToken } from "../api/sign-in.ts";
import { useMutation } from "../api/use-mutation.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { cx } from "../ui/cx.ts";
import { Command } from "../ui/empty.tsx";
import { ErrorBox } from "../ui/error-box.tsx";
import { TextField } from "../ui/field.tsx";
import { Mark } from "./sidebar.tsx";

type Props = {
  onSignedIn?: () => void;
  /** An error of another way to sign in, such as an expired link. */
  error?: unknown;
};

/**
 * Offers the ways to sign in: a token, a link from the command line, the organization's identity provider.
 */
export function SignInForm({ onSignedIn, error }: Props) {
  const [token, setToken] = useState("");
  const methods = useQuery({ queryKey: ["sign-in methods"], queryFn: signInMethods });
  const signIn = useMutation({
    mutationFn: () => signInWithToken(token.trim()),
    onSuccess: () => {
      setToken("");
      onSignedIn?.();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (token.trim() !== "") signIn.mutate();
  }
  const failed = signIn.error ?? error;
  return (
    <div className="flex w-full max-w-sm flex-col gap-5">
      <div className="flex flex-col items-center gap-3 text-center">
        <Mark className="size-10" />
        <h1 className="text-xl font-semibold">Sign in to Berth</h1>
      </div>
      {failed !== null && failed !== undefined && <ErrorBox error={failed} />}
      {methods.data?.oidc && (
        <a
          href={oidcAddress(location.pathname + location.search)}
          className={cx(buttonClass("primary"), "w-full")}
        >
          Continue with your organization
        </a>
      )}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Token"
          hint="A personal access token: berth_pat_…"
          type="password"
          name="token"
          autoComplete="off"
          autoFocus
          value={token}
          onChange={(text) => setToken(text)}
        />
        <Button
          type="submit"
          look={methods.data?.oidc ? "secondary" : "primary"}
          busy={signIn.isPending}
          disabled={token.trim() === ""}
          className="w-full"
        >
          Sign in
        </Button>
      </form>
      <div className="border-t border-line pt-4 text-center text-xs text-faint">
        Or open the console, signed in, from the command line:
        <Command text="berth console" />
      </div>
    </div>
  );
}

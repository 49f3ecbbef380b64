import { NotFoundError } from "@berth/sdk";
import { operations } from "@berth/sdk/operations";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { berth } from "../../api/client.ts";
import { Page } from "../../shell/page.tsx";
import { Button } from "../../ui/button.tsx";
import { CallButton } from "../../ui/call-button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Authorization } from "./authorization.tsx";

const route = getRouteApi("/device");

/** Approves a program that requests a token with a code, such as `berth login --device`. */
export function DeviceScreen() {
  const { code = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const [sought, setSought] = useState(code);
  // Each lookup counts as an attempt at a code, so the query never runs again by itself.
  const found = useQuery({
    queryKey: ["device authorization", sought],
    queryFn: ({ signal }) => berth.deviceAuthorizations.lookup({ user_code: sought }, { signal }),
    enabled: sought !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (sought === code) void found.refetch();
    else setSought(code);
  }
  const isUnknown = found.error instanceof NotFoundError;
  return (
    <Page
      title="Approve a login"
      actions={
        <CallButton
          calls={[
            { operation: operations.deviceAuthorizations.lookup, body: { user_code: code } },
            { operation: operations.deviceAuthorizations.approve, body: { user_code: code } },
          ]}
        />
      }
    >
      <div className="mx-auto flex max-w-xl flex-col gap-6 p-4 md:py-8">
        <p className="text-muted">
          A program without a token, such as{" "}
          <code className="font-mono text-xs whitespace-nowrap">berth login --device</code>, shows a code.
          Enter it to see which device asks, and decide whether it gets a token.
        </p>
        <form onSubmit={submit} className="flex flex-col gap-3">
          <Field
            label="Code"
            hint="Eight letters, such as WDJB-MJHT."
            error={isUnknown ? found.error?.message : undefined}
          >
            {(control) => (
              <span className="flex gap-2">
                <Input
                  {...control}
                  autoFocus
                  placeholder="BCDF-GHJK"
                  maxLength={64}
                  value={code}
                  onChange={({ target }) =>
                    void navigate({
                      search: target.value === "" ? {} : { code: target.value },
                      replace: true,
                    })
                  }
                  className="font-mono uppercase placeholder:normal-case"
                />
                <Button type="submit" busy={found.isFetching} disabled={code.trim() === ""}>
                  Find login
                </Button>
              </span>
            )}
          </Field>
          <FormError error={found.error} atField={isUnknown} />
        </form>
        {found.data !== undefined && sought === code && (
          <Authorization key={sought} code={sought} asked={found.data} />
        )}
      </div>
    </Page>
  );
}

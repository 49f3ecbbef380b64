import { APIError, type CreatedToken, type User, type Whoami } from "@berth/sdk";
import { type FormEvent, useState } from "react";
import { berth } from "../../api/client.ts";
import { showUnseen } from "../../format/visible-text.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Command } from "../../ui/empty.tsx";
import { ErrorBox, messageOf } from "../../ui/error-box.tsx";
import { TextField } from "../../ui/field.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Segments } from "../../ui/form-section.tsx";
import { useFormDraft } from "../../ui/use-form-draft.ts";
import { useSave } from "../../ui/use-save.ts";
import { CreatedTokenView } from "../tokens/created-token-view.tsx";
import { placeOf } from "../tokens/token-form.ts";
import { refreshAdministration } from "./queries.ts";

type Props = { open: boolean; me: Whoami; onClose: () => void };

/** A new user, with their first token if one was asked for. */
type Added = { user: User; token: CreatedToken | null; tokenFault: string | null };

/** Adds a user, and shows how they sign in. */
export function NewUserDialog({ open, me, onClose }: Props) {
  const [added, setAdded] = useState<Added | null>(null);
  const close = () => {
    setAdded(null);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      size="medium"
      title={added === null ? "New user" : `${showUnseen(added.user.email)} is created`}
    >
      {open && added === null && <Form me={me} onClose={close} onAdded={setAdded} />}
      {open && added !== null && <HowToSignIn added={added} onClose={close} />}
    </Dialog>
  );
}

const EMPTY = { email: "", role: "member" as User["role"], withToken: false };
/** Days for which a first token is valid. */
const FIRST_TOKEN_DAYS = 90;

function Form({
  me,
  onClose,
  onAdded,
}: {
  me: Whoami;
  onClose: () => void;
  onAdded: (added: Added) => void;
}) {
  const draft = useFormDraft<typeof EMPTY>("new user", EMPTY);
  const form = { ...EMPTY, ...draft.form };
  const { save, busy, error, faultAt } = useSave({
    act: () => addUser(form, me),
    placeOf,
    onSaved: (added) => {
      draft.reset();
      void refreshAdministration();
      onAdded(added);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Email"
        error={faultAt("email")}
        autoFocus
        placeholder="ada@example.com"
        value={form.email}
        onChange={(email) => draft.change({ email })}
      />
      <div className="flex flex-col gap-1.5">
        <span className="font-medium">Role</span>
        <Segments
          label="Role"
          value={form.role}
          choices={[
            { value: "member", label: "Member" },
            { value: "admin", label: "Admin" },
          ]}
          onChange={(role) => draft.change({ role })}
        />
        <p className="text-xs text-faint">
          {form.role === "admin"
            ? "Sees everything in the organization, and administers it."
            : "Sees what is their own and what is shared with them."}
        </p>
      </div>
      <Checkbox checked={form.withToken} onChange={(withToken) => draft.change({ withToken })}>
        Create a first token
        <span className="block text-xs text-faint">
          For a user who cannot sign in with an identity provider. You pass it on to them; it expires after 90
          days at the latest.
        </span>
      </Checkbox>
      <FormError error={error} atField={faultAt("email") !== null} />
      <div className="flex justify-end gap-2 border-t border-line pt-4 pb-1">
        <Button
          onClick={() => {
            draft.reset();
            onClose();
          }}
        >
          Cancel
        </Button>
        <Button look="primary" type="submit" busy={busy}>
          Create user
        </Button>
      </div>
    </form>
  );
}

/** Adds a user. A token that cannot be made is told, because the user is added already. */
async function addUser({ email, role, withToken }: typeof EMPTY, me: Whoami): Promise<Added> {
  const organization_id = me.organization.id;
  const user = await berth.admin.users.create({ email: email.trim(), role, organization_id });
  if (!withToken) return { user, token: null, tokenFault: null };
  try {
    const expires_at = new Date(Date.now() + FIRST_TOKEN_DAYS * 86_400_000).toISOString();
    const terms = { user_id: user.id, name: "first", scopes: me.scopes };
    return { user, token: await firstToken(terms, expires_at), tokenFault: null };
  } catch (error) {
    return { user, token: null, tokenFault: messageOf(error) };
  }
}

/** Creates a token until a time, or until the token of this sign-in ends if that is earlier. */
async function firstToken(
  terms: { user_id: string; name: string; scopes: Whoami["scopes"] },
  expires_at: string,
): Promise<CreatedToken> {
  try {
    return await berth.admin.tokens.create({ ...terms, expires_at });
  } catch (error) {
    if (!(error instanceof APIError) || error.param !== "expires_at") throw error;
    return await berth.admin.tokens.create(terms);
  }
}

function HowToSignIn({ added: { user, token, tokenFault }, onClose }: { added: Added; onClose: () => void }) {
  if (token !== null)
    return (
      <CreatedTokenView token={token} actsAs={showUnseen(user.email)} onClose={onClose}>
        <div className="text-muted">
          Give it to {showUnseen(user.email)}, who signs in with it at:
          <Command text={`${location.origin}/console/`} />
        </div>
      </CreatedTokenView>
    );
  return (
    <div className="flex flex-col gap-4 pb-1">
      {tokenFault !== null && (
        <ErrorBox error={new Error(tokenFault)} title="The first token could not be created" />
      )}
      <p className="text-muted">
        {showUnseen(user.email)} signs in with the identity provider, if this installation has one. Otherwise
        open the user here, and create a token for them.
      </p>
      <div className="text-muted">
        For the command line:
        <Command text={`berth login ${location.origin}`} />
      </div>
      <div className="flex justify-end border-t border-line pt-4">
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  );
}

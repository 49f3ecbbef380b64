import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { Field, Textarea } from "../../../ui/field.tsx";
import { useDraft } from "../../../ui/use-draft.ts";
import { useFormDraft } from "../../../ui/use-form-draft.ts";
import type { ToolUse } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { SchemaFields } from "./schema-fields.tsx";
import { fieldsOf, readForm, resultSchemaOf } from "./schema-form.ts";

const NOTHING = {};

/** Gives the result of a tool that the client runs: in a form, if the tool defines its result, or as text. */
export function AnswerCustomTool({ use }: { use: ToolUse }) {
  const { session, actions } = useSession();
  const tool = session.agent.tools.find((one) => one.type === "custom" && one.name === use.name);
  const schema = tool?.type === "custom" ? resultSchemaOf(tool.input_schema) : null;
  const fields = schema === null ? null : fieldsOf(schema);
  const [text, setText] = useDraft(`answer ${use.id}`);
  const { form: entries, change, reset } = useFormDraft<Record<string, string>>(`form ${use.id}`, NOTHING);
  const [isError, setIsError] = useState(false);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const answer = useMutation({
    mutationFn: (result: string) => actions.answer(use.id, result, isError),
    onSuccess: () => {
      setText("");
      reset();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (fields === null || isError) return answer.mutate(text);
    const { value, errors } = readForm(fields, entries ?? NOTHING);
    setErrors(errors ?? {});
    if (value !== null) answer.mutate(JSON.stringify(value));
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 border-t border-warn/40 bg-warn-soft/60 px-3 py-3">
      <div>
        <p className="font-medium">The agent waits for the result of this tool.</p>
        {tool?.type === "custom" && (
          <p className="text-xs whitespace-pre-wrap text-muted">{showUnseen(tool.description)}</p>
        )}
      </div>
      {fields !== null && !isError ? (
        <SchemaFields fields={fields} entries={entries ?? NOTHING} errors={errors} onChange={change} />
      ) : (
        <Field label={isError ? "What went wrong" : "Result"}>
          {(control) => (
            <Textarea {...control} rows={3} value={text} onChange={(event) => setText(event.target.value)} />
          )}
        </Field>
      )}
      <div className="flex items-center gap-3">
        <Checkbox checked={isError} onChange={setIsError}>
          It failed
        </Checkbox>
        <Button
          type="submit"
          size="small"
          look="primary"
          busy={answer.isPending || answer.isSuccess}
          className="ml-auto"
        >
          Send result
        </Button>
      </div>
      {answer.isError && <ErrorBox error={answer.error} />}
    </form>
  );
}

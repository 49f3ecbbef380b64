import { type FormEvent, useState } from "react";
import { useMutation } from "../../../api/use-mutation.ts";
import { showUnseen } from "../../../format/visible-text.ts";
import { Button } from "../../../ui/button.tsx";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { ErrorBox } from "../../../ui/error-box.tsx";
import { TextAreaField } from "../../../ui/field.tsx";
import { Segments } from "../../../ui/form-section.tsx";
import { useDraft } from "../../../ui/use-draft.ts";
import { useFormDraft } from "../../../ui/use-form-draft.ts";
import type { ToolUse } from "../log/view.ts";
import { useSession } from "../scope/session-context.ts";
import { SchemaFields } from "./schema-fields.tsx";
import { readForm, readJson, resultFormOf } from "./schema-form.ts";

const NOTHING = {};
const FORMATS = [
  { value: "text", label: "Text" },
  { value: "json", label: "JSON" },
] as const;

/** Answers a call of a custom tool: with a form if the tool declares its result, else as text or JSON. */
export function AnswerCustomTool({ use }: { use: ToolUse }) {
  const { session, actions } = useSession();
  const tool = session.agent.tools.find((one) => one.type === "custom" && one.name === use.name);
  const form = tool?.type === "custom" ? resultFormOf(tool.input_schema) : null;
  const [text, setText] = useDraft(`answer ${use.id}`);
  const { form: entries, change, reset } = useFormDraft<Record<string, string>>(`form ${use.id}`, NOTHING);
  const [format, setFormat] = useState<"text" | "json">("text");
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
    if (isError) return answer.mutate(text);
    if (form === null) return submitText();
    const { value, errors } = readForm(form.fields, entries ?? NOTHING);
    setErrors(errors ?? {});
    if (value !== null) answer.mutate(form.textOf(value));
  }
  function submitText() {
    const error = format === "json" ? readJson(text).error : null;
    setErrors(error === null ? {} : { text: error });
    if (error === null) answer.mutate(text);
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 border-t border-warn/40 bg-warn-soft/60 px-3 py-3">
      <div>
        <p className="font-medium">The agent waits for the result of this tool.</p>
        {tool?.type === "custom" && (
          <p className="text-xs whitespace-pre-wrap text-muted">{showUnseen(tool.description)}</p>
        )}
      </div>
      {form !== null && !isError ? (
        <SchemaFields fields={form.fields} entries={entries ?? NOTHING} errors={errors} onChange={change} />
      ) : (
        <>
          {!isError && <Segments label="Result as" value={format} choices={FORMATS} onChange={setFormat} />}
          <TextAreaField
            label={isError ? "What went wrong" : "Result"}
            error={isError ? undefined : errors.text}
            rows={3}
            controlClass={format === "json" && !isError ? "font-mono text-xs" : ""}
            value={text}
            onChange={(text) => setText(text)}
          />
        </>
      )}
      <div className="flex items-center gap-3">
        <Checkbox checked={isError} onChange={setIsError}>
          The tool failed
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

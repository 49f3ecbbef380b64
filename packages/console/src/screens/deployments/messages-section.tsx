import { Button, IconButton } from "../../ui/button.tsx";
import { TextAreaField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { type MessageEntry, newMessage } from "./messages.ts";

type Props = {
  messages: readonly MessageEntry[];
  onChange: (messages: MessageEntry[]) => void;
  fault: string | null;
};

/** Edits the messages that each session starts with. */
export function MessagesSection({ messages, onChange, fault }: Props) {
  const set = (key: string, text: string) =>
    onChange(messages.map((one) => (one.key === key ? { ...one, text } : one)));
  return (
    <FormSection title="First messages" about="What the agent should do on each run.">
      {messages.map(({ key, text, kept }, index) => (
        <div key={key} className="flex items-start gap-2">
          <TextAreaField
            label={messages.length === 1 ? "Message" : `Message ${index + 1}`}
            {...(kept !== null && { hint: "It has more than a text, and is kept as it is." })}
            error={index === 0 ? fault : null}
            className="flex-1"
            rows={4}
            disabled={kept !== null}
            placeholder="Run the tests. If one fails, find out why, and push a fix to a branch."
            value={text}
            onChange={(next) => set(key, next)}
          />
          {messages.length > 1 && (
            <IconButton
              icon="trash"
              label={`Remove message ${index + 1}`}
              className="mt-7"
              onClick={() => onChange(messages.filter((one) => one.key !== key))}
            />
          )}
        </div>
      ))}
      <Button icon="plus" className="self-start" onClick={() => onChange([...messages, newMessage()])}>
        Add message
      </Button>
    </FormSection>
  );
}

import { useId } from "react";
import { Field, TextField } from "../../ui/field.tsx";
import { FormSection } from "../../ui/form-section.tsx";
import { Select } from "../../ui/select.tsx";
import type { FaultAt } from "../../ui/use-save.ts";
import { NextRuns } from "./next-runs.tsx";
import { DAY_CHOICES, expressionOf, SCHEDULE_CHOICES, type ScheduleForm } from "./schedule-form.ts";

const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

type Props = { schedule: ScheduleForm; onChange: (schedule: ScheduleForm) => void; faultAt: FaultAt };

/** Edits when a deployment runs, and shows its next runs. */
export function ScheduleSection({ schedule, onChange, faultAt }: Props) {
  const zones = useId();
  const { kind, minute, time, day, expression, timezone, at } = schedule;
  const change = (part: Partial<ScheduleForm>) => onChange({ ...schedule, ...part });
  return (
    <FormSection title="Schedule" about="When it starts a session by itself.">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Runs" error={faultAt("schedule")}>
          {(control) => (
            <Select
              {...control}
              value={kind}
              choices={SCHEDULE_CHOICES}
              onChange={(next) =>
                // A preset is where an expression begins.
                change({
                  kind: next,
                  ...(next === "cron" && { expression: expressionOf(schedule) ?? expression }),
                })
              }
            />
          )}
        </Field>
        {kind === "hour" && (
          <TextField
            label="Minutes past the hour"
            inputMode="numeric"
            value={minute}
            onChange={(text) => change({ minute: text })}
          />
        )}
        {kind === "week" && (
          <Field label="Day">
            {(control) => (
              <Select
                {...control}
                value={day}
                choices={DAY_CHOICES}
                onChange={(next) => change({ day: next })}
              />
            )}
          </Field>
        )}
        {(kind === "day" || kind === "weekdays" || kind === "week") && (
          <TextField label="Time" type="time" value={time} onChange={(text) => change({ time: text })} />
        )}
        {kind === "cron" && (
          <TextField
            label="Cron expression"
            hint="Minute, hour, day of month, month, day of week."
            error={faultAt("schedule.expression")}
            placeholder="0 3 * * 1-5"
            value={expression}
            onChange={(text) => change({ expression: text })}
            controlClass="font-mono"
          />
        )}
        {kind === "at" && (
          <TextField
            label="Time"
            type="datetime-local"
            hint="By the clock of this browser."
            error={faultAt("schedule.at")}
            value={at}
            onChange={(text) => change({ at: text })}
          />
        )}
        {kind !== "none" && kind !== "at" && (
          <>
            <TextField
              label="Time zone"
              error={faultAt("schedule.timezone")}
              list={zones}
              placeholder="Europe/Berlin"
              value={timezone}
              onChange={(text) => change({ timezone: text })}
            />
            <datalist id={zones}>
              {ZONES.map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
      </div>
      <NextRuns schedule={schedule} />
    </FormSection>
  );
}

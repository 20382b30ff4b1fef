import { parseUtc } from '#domain/instant';
import { InstantField } from '../forms/Field.tsx';
import { readText } from '../forms/values.ts';
import { ConfirmDialog } from '../parts/Popover.tsx';

type PauseUntilProps = {
  of: 'cron' | 'queue';
  name: string;
  fields?: Readonly<Record<string, string>>;
};

/** In the menu of a cron or queue. */
export function PauseUntil({ of, name, fields }: PauseUntilProps) {
  return (
    <ConfirmDialog
      word="Pause until"
      question={`Pause the ${of} “${name}” until a time?`}
      fields={{ ...fields, intent: 'pause' }}
      variant="default"
      controls={<UntilField required />}
    >
      {of === 'cron'
        ? 'It does not run before this time. Then it continues with its next time; missed runs are not made up for.'
        : 'It starts nothing before this time and holds its jobs. Then due jobs start.'}
    </ConfirmDialog>
  );
}

export function UntilField({ required = false }: { required?: boolean }) {
  return (
    <InstantField
      name="until"
      label="Until (UTC)"
      required={required}
      {...(!required && { description: 'Empty: until a person resumes it.' })}
    />
  );
}

/** Null: without end. */
export function readUntil(form: FormData, now: number): { until: number | null } | 'wrong' {
  const text = readText(form, 'until');
  if (text === '') return { until: null };
  const until = parseUtc(text);
  return until === null || until <= now ? 'wrong' : { until };
}

export const WRONG_UNTIL = {
  kind: 'failed',
  text: 'Nothing was paused: the end must be a date and a time in the future, in UTC.',
} as const;

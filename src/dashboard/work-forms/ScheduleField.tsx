import { type CronEnd, timesWithinEnd } from '#domain/cron-end';
import { parseUtc } from '#domain/instant';
import { LIMITS } from '#domain/limits';
import { Button } from '../parts/Button.tsx';
import { useId } from 'react';
import { TextField } from '../forms/Field.tsx';
import { useTypedText } from '../forms/typed-text.ts';
import { Glyph } from '../parts/Glyph.tsx';
import { presets, readSchedule, type ScheduleReading } from '../words/schedule-words.ts';
import { knownZone } from '../words/time-zone.ts';
import { formatUtc, useMoment } from '../parts/Time.tsx';
import type { FieldErrors } from '../services.ts';
import type { CronFormValues } from './form-values.ts';
import { ZoneField } from './ZoneField.tsx';
import classes from '../forms/Form.module.css';

type ScheduleFieldProps = {
  formValues: Pick<CronFormValues, 'cron_expression' | 'ends_at' | 'max_runs' | 'time_zone'>;
  /** Of a cron that has a number of runs. */
  runsCounted: number;
  errors?: FieldErrors | undefined;
};

/**
 * The cron expression and its end, with an explanation: in words, its next ten runs, and warnings. Without a script the
 * button "Show next runs" gets the same from the server.
 */
export function ScheduleField({ formValues, runsCounted, errors }: ScheduleFieldProps) {
  const defaultValue = formValues.cron_expression;
  const { now, timeZone: ownZone } = useMoment();
  // Untouched, the viewer's own, which the browser may tell after the first render.
  const zone = useTypedText(formValues.time_zone ?? ownZone ?? '');
  const timeZone = knownZone(zone.text);
  const expression = useTypedText(defaultValue);
  const endsAt = useTypedText(formValues.ends_at);
  const maxRuns = useTypedText(formValues.max_runs);
  const end = readEnd(endsAt.text, maxRuns.text);
  const id = useId();
  // The error is about the text that was sent. It disappears as soon as somebody types.
  const shownErrors = expression.text === defaultValue ? errors : undefined;
  return (
    <>
      <TextField
        name="cron_expression"
        label="Cron expression"
        description="Minute, hour, day of month, month, day of week, in UTC; or a shortcut such as @daily."
        required
        maxLength={LIMITS.cronExpressionCharacters}
        autoComplete="off"
        spellCheck={false}
        list={`${id}-presets`}
        aria-describedby={`${id}-meaning`}
        style={{ fontFamily: 'var(--mono)' }}
        {...expression.input}
        errors={shownErrors}
      />
      <Presets id={`${id}-presets`} onUse={expression.replace} />
      <noscript>
        <Button type="submit" name="intent" value="look" variant="default" formNoValidate>
          Show next runs
        </Button>
      </noscript>
      <ZoneField zone={zone.text} input={zone.input} />
      <div id={`${id}-meaning`} aria-live="polite">
        <Meaning
          reading={endReading(readSchedule(expression.text, now, timeZone), end, runsCounted)}
          timeZone={timeZone}
        />
      </div>
      <EndFields
        formValues={formValues}
        errors={errors}
        runsCounted={runsCounted}
        endsAt={endsAt}
        maxRuns={maxRuns}
      />
    </>
  );
}

/** Common schedules: offered in the field, and as buttons where scripts run. */
function Presets({ id, onUse }: { id: string; onUse: (expression: string) => void }) {
  return (
    <>
      <datalist id={id}>
        {presets.map(({ expression: value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </datalist>
      <div className={`${classes.presets} needs-script`} role="group" aria-label="Presets">
        {presets.map(({ expression: value, text }) => (
          <button key={value} type="button" title={value} onClick={() => onUse(value)}>
            {text}
          </button>
        ))}
      </div>
    </>
  );
}

type EndFieldsProps = ScheduleFieldProps & {
  endsAt: ReturnType<typeof useTypedText>;
  maxRuns: ReturnType<typeof useTypedText>;
};

/** When the schedule ends (§3.1). An error goes as soon as something else is typed. */
function EndFields({ formValues, errors, runsCounted, endsAt, maxRuns }: EndFieldsProps) {
  return (
    <>
      <TextField
        name="ends_at"
        label="Ends at"
        className={classes.short}
        description="UTC, such as 2026-12-31 18:00. The last time of the schedule that still runs. Empty: no end."
        placeholder="none"
        autoComplete="off"
        {...endsAt.input}
        errors={endsAt.text === formValues.ends_at ? errors : undefined}
      />
      <TextField
        name="max_runs"
        label="Ends after runs"
        className={classes.short}
        description={describeMaxRuns(formValues.max_runs, runsCounted)}
        placeholder="none"
        inputMode="numeric"
        autoComplete="off"
        {...maxRuns.input}
        errors={maxRuns.text === formValues.max_runs ? errors : undefined}
      />
    </>
  );
}

function describeMaxRuns(maxRuns: string, counted: number): string {
  const sofar = maxRuns === '' ? '' : ` ${counted} so far.`;
  return `So many runs of the schedule; Run now does not count.${sofar} Empty: no end.`;
}

/** What is typed, as far as it can be read; the server says what is wrong with it. */
function readEnd(endsAt: string, maxRuns: string): CronEnd {
  return {
    endsAt: parseUtc(endsAt),
    maxRuns: /^\d{1,7}$/.test(maxRuns.trim()) ? Number(maxRuns) : null,
  };
}

function endReading(
  reading: ScheduleReading,
  end: CronEnd,
  counted: number,
): ScheduleReading & { isLastShown?: boolean } {
  if (reading.kind !== 'right') return reading;
  const runs = timesWithinEnd(reading.runs, end, counted);
  return { ...reading, runs, isLastShown: runs.length < reading.runs.length };
}

function Meaning({
  reading,
  timeZone,
}: {
  reading: ReturnType<typeof endReading>;
  timeZone: string | null;
}) {
  if (reading.kind === 'empty') return null;
  if (reading.kind === 'wrong') {
    return (
      <div className={classes.schedule} data-wrong>
        {reading.text}
      </div>
    );
  }
  return (
    <div className={classes.schedule}>
      <p className={classes.words}>{reading.words}</p>
      <RunTimes runs={reading.runs} timeZone={timeZone} />
      {reading.isLastShown ? (
        <p>
          {reading.runs.length === 0 ? 'It has ended: none comes before its end.' : 'Then it ends.'}
        </p>
      ) : null}
      {reading.warnings.map((text) => (
        <p key={text} className={classes.warning}>
          <Glyph name="failures" size={14} />
          {text}
        </p>
      ))}
    </div>
  );
}

/** The next runs in UTC and, where one is known, by the clocks of the chosen zone. */
function RunTimes({ runs, timeZone }: { runs: readonly number[]; timeZone: string | null }) {
  const isLocalKnown = timeZone !== null && timeZone !== 'UTC';
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: timeZone ?? 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (
    <table className={classes.runs}>
      <caption className="sr-only">Next runs</caption>
      <thead>
        <tr>
          <th scope="col">Next runs, UTC</th>
          {isLocalKnown ? <th scope="col">{timeZone}</th> : null}
        </tr>
      </thead>
      <tbody>
        {runs.map((at) => (
          <tr key={at}>
            <td>{formatUtc(at).slice(0, 16)}</td>
            {isLocalKnown ? <td>{local.format(at)}</td> : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import { useId, useRef, useState } from 'react';
import { type CronEnd, timesWithinEnd } from '#domain/cron/cron-end';
import { searchFrom } from '#domain/cron/cron';
import { parseUtc } from '#domain/base/instant';
import { LIMITS } from '#domain/base/limits';
import { PlainField } from '../forms/Field.tsx';
import { useField, useTypedValues } from '../forms/Form.tsx';
import { textIn } from '../forms/values.ts';
import classes from '../forms/Form.module.css';
import { Submit } from '../parts/Button.tsx';
import { Glyph } from '../parts/Glyph.tsx';
import { useMoment } from '../parts/Time.tsx';
import { formatUtc, knownZone } from '../words/times.ts';
import { presets, readSchedule, type ScheduleReading } from '../words/schedule-words.ts';

/** §3.1. Without a script the button "Show next runs" asks the server. */
export function ScheduleFields() {
  const [presetsId, zonesId] = [useId(), useId()];
  const { timeZone } = useMoment();
  const { value: zone = timeZone ?? '' } = useField('time_zone');
  const [typedZone, setTypedZone] = useState<string | null>(null);
  // The server may know other names than the browser.
  const [zones, setZones] = useState<readonly string[]>([]);
  const shownZone = (typedZone ?? zone).trim();
  const isUnknown = shownZone !== '' && knownZone(shownZone) === null;
  return (
    <>
      <PlainField
        name="cron_expression"
        description="Minute, hour, day of month, month, day of week, in UTC; or a shortcut such as @daily."
        required
        maxLength={LIMITS.cronExpressionCharacters}
        list={presetsId}
        aria-describedby={MEANING}
        style={{ fontFamily: 'var(--mono)' }}
      />
      <datalist id={presetsId}>
        {presets.map(({ expression: value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </datalist>
      <div className={`${classes.presets} needs-script`} role="group" aria-label="Presets">
        {presets.map(({ expression: value, text }) => (
          <button
            key={value}
            type="button"
            className="chip"
            title={value}
            onClick={({ currentTarget: { form } }) => {
              const field = form?.elements.namedItem('cron_expression');
              if (field instanceof HTMLInputElement) field.value = value;
            }}
          >
            {text}
          </button>
        ))}
      </div>
      <noscript>
        <Submit intent="look" formNoValidate>
          Show next runs
        </Submit>
      </noscript>
      {/* Only for the shown times. */}
      <PlainField
        name="time_zone"
        label="Show runs in"
        isShort
        description="A time zone to compare with, such as Europe/Berlin. The schedule stays in UTC: with summer time, its runs shift by an hour in that zone."
        list={zonesId}
        // May be known only after the first render.
        defaultValue={zone}
        onChange={({ currentTarget }) => setTypedZone(currentTarget.value)}
        onFocus={() => setZones(Intl.supportedValuesOf('timeZone'))}
        error={isUnknown ? 'There is no such time zone. An example is Europe/Berlin.' : null}
      />
      <datalist id={zonesId}>
        {zones.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

const MEANING = 'schedule-meaning';

/** @param runsCounted of a cron with a number of runs */
export function SchedulePreview({ runsCounted }: { runsCounted: number }) {
  const { now, timeZone: ownZone } = useMoment();
  const ref = useRef<HTMLDivElement>(null);
  const values = useTypedValues(ref, ownZone);
  const typed = (name: string) => textIn(values, name) ?? '';
  const timeZone = knownZone(typed('time_zone'));
  const from = searchFrom(parseUtc(typed('starts_at')), now);
  const reading = readSchedule(typed('cron_expression'), from, timeZone);
  // As far as they can be read; the server has their errors.
  const end: CronEnd = {
    endsAt: parseUtc(typed('ends_at')),
    maxRuns: /^\d{1,7}$/.test(typed('max_runs').trim()) ? Number(typed('max_runs')) : null,
  };
  return (
    <div id={MEANING} ref={ref} aria-live="polite">
      <Meaning {...{ reading, end, runsCounted, timeZone }} />
    </div>
  );
}

type MeaningProps = {
  reading: ScheduleReading;
  end: CronEnd;
  runsCounted: number;
  timeZone: string | null;
};

function Meaning({ reading, end, runsCounted, timeZone }: MeaningProps) {
  if (reading.kind === 'empty') return null;
  if (reading.kind === 'wrong') {
    return (
      <div className={`box ${classes.schedule}`} data-wrong>
        {reading.text}
      </div>
    );
  }
  const runs = timesWithinEnd(reading.runs, end, runsCounted);
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
    <div className="box">
      <p className={classes.words}>{reading.words}</p>
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
      {runs.length < reading.runs.length ? (
        <p>
          {runs.length === 0
            ? 'No run is left before the end. Change the end or leave it empty.'
            : 'Then it ends.'}
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

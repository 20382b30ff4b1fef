import { useId, useState } from 'react';
import { TextField } from '../forms/Field.tsx';
import type { useTypedText } from '../forms/typed-text.ts';
import { knownZone } from '../words/time-zone.ts';
import classes from '../forms/Form.module.css';

/** The zone whose clocks the next runs are shown by as well. It changes nothing about the schedule. */
export function ZoneField({
  zone,
  input,
}: {
  zone: string;
  input: ReturnType<typeof useTypedText>['input'];
}) {
  const id = useId();
  // Asked for when somebody chooses, because the server may know other names than the browser.
  const [zones, setZones] = useState<readonly string[]>([]);
  const isUnknown = zone.trim() !== '' && knownZone(zone) === null;
  const errors = { time_zone: ['No such time zone is known. One is Europe/Berlin.'] };
  return (
    <>
      <TextField
        name="time_zone"
        label="Show runs in"
        className={classes.short}
        description="A time zone to compare with, such as Europe/Berlin. The schedule stays in UTC: where the clocks change for summer time, its runs shift by an hour there."
        autoComplete="off"
        spellCheck={false}
        list={`${id}-zones`}
        {...input}
        onFocus={() => setZones(Intl.supportedValuesOf('timeZone'))}
        errors={isUnknown ? errors : undefined}
      />
      <datalist id={`${id}-zones`}>
        {zones.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

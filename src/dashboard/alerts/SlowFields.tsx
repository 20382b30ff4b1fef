import { rangeOf } from '#domain/limits';
import { LEAST_TIMED, MEDIAN_DAYS, SLOW_RANGES } from '#domain/slow-runs';
import { NumberField } from '../forms/NumberField.tsx';
import type { FieldErrors } from '../services.ts';
import type { AlertFormValues } from './alert-form-values.ts';

type SlowFieldsProps = { formValues: AlertFormValues; errors: FieldErrors | undefined };

/** Which runs are slow; a warning tells when that begins, a recovery when it is over. */
export function SlowFields({ formValues, errors }: SlowFieldsProps) {
  return (
    <>
      <NumberField
        name="slow_seconds"
        label="Slow after"
        description={`Seconds that one run takes, ${rangeOf(SLOW_RANGES.seconds)}. A warning tells when it begins, a recovery when it is over. Empty: none.`}
        placeholder="none"
        defaultValue={formValues.slow_seconds}
        errors={errors}
      />
      <NumberField
        name="slow_times_median"
        label="Times longer than usual"
        description={`A run is slow, too, that takes so many times as long as the median of the last ${MEDIAN_DAYS} days, ${rangeOf(SLOW_RANGES.timesMedian)}, once ${LEAST_TIMED} succeeded. Of both fields the lower counts.`}
        placeholder="none"
        defaultValue={formValues.slow_times_median}
        errors={errors}
      />
    </>
  );
}

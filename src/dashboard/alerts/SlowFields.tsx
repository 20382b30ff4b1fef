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
        label="Slow at times the median"
        description={`So many times the median of ${MEDIAN_DAYS} days, ${rangeOf(SLOW_RANGES.timesMedian)}, once there are ${LEAST_TIMED} successful runs. The lower of both counts.`}
        placeholder="none"
        defaultValue={formValues.slow_times_median}
        errors={errors}
      />
    </>
  );
}

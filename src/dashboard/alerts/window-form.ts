/** Reads a maintenance window's form by the rules of `work`, and keeps what was typed. */
import { readFormPairs } from '#work/form-fields';
import { readWindowInput, type WindowInput } from '#work/resources/window';
import { errorsOf } from '../work-forms/read-fields.ts';
import type { FormReading } from '../work-forms/form-values.ts';
import { readChecked, readText } from '../forms/read-form.ts';
import type { NamedSource } from '../services.ts';
import type { WindowFormValues } from './window-form-values.ts';

export const tooManyWindows =
  'The team has as many maintenance windows as it may have, 200. Delete one that is not needed any more.';

/** @param own  the team's crons and queues; others count as not chosen */
export function readWindowForm(
  form: FormData,
  own: readonly NamedSource[],
): FormReading<WindowFormValues, WindowInput> {
  const offered = new Set(own.map(({ kind, id }) => `${kind}:${id}`));
  const formValues: WindowFormValues = {
    name: readText(form, 'name'),
    starts_at: readText(form, 'starts_at'),
    ends_at: readText(form, 'ends_at'),
    is_weekly: readChecked(form, 'is_weekly'),
    covers: readText(form, 'covers') === 'chosen' ? 'chosen' : 'team',
    sources: form
      .getAll('sources[]')
      .filter((source) => typeof source === 'string')
      .filter((source) => offered.has(source)),
  };
  const { sources, is_weekly, ...texts } = formValues;
  const reading = readWindowInput(
    readFormPairs([
      ...Object.entries(texts),
      ['is_weekly', is_weekly ? '1' : '0'],
      ...sources.map((source) => ['sources[]', source] as const),
    ]),
  );
  if (reading.ok) return { ok: true, formValues, input: reading.input };
  return { ok: false, formValues, errors: errorsOf(reading.errors) };
}

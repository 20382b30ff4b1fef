/** Saves a maintenance window's form, for the page that creates a window and the page that changes one. */
import { open } from '../serving/open.ts';
import { data } from 'react-router';
import type { WindowInput } from '#work/resources/window';
import { notFound, type Context } from '../context.ts';
import type { WindowOutcome, Work } from '../services.ts';
import { readWindowForm, tooManyWindows } from './window-form.ts';

/** @param done  what `save` has done to the window, for the message */
export async function saveWindow(
  context: Context,
  save: (work: Work, teamId: string, input: WindowInput) => Promise<WindowOutcome>,
  done: 'created' | 'changed',
) {
  const { team, work, form, say } = open(context);
  const own = await work.listAlertSources(team.id);
  const reading = readWindowForm(form, own);
  const { formValues } = reading;
  if (!reading.ok) return data({ formValues, errors: reading.errors }, { status: 422 });
  const outcome = await save(work, team.id, reading.input);
  if (outcome.kind === 'not-found') notFound();
  if (outcome.kind === 'too-many')
    return data({ formValues, errors: { name: [tooManyWindows] } }, { status: 422 });
  return say('/maintenance', `The maintenance window “${reading.input.name}” is ${done}.`);
}

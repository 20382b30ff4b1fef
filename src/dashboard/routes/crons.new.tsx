import { open } from '../serving/open.ts';
import { data } from 'react-router';
import { orTeamFull } from '../serving/team-full.ts';
import { CronForm } from '../work-forms/CronForm.tsx';
import { fillCronFromPaste, type Pasted } from '../work-forms/paste.ts';
import { PasteBox } from '../work-forms/PasteBox.tsx';
import { readCronForm, formValuesOfCron } from '../work-forms/read-forms.ts';
import { findUntold } from '../work-forms/same-cron.ts';
import { SameCronNotice } from '../work-forms/SameCronNotice.tsx';
import { testCron } from '../work-forms/test-drafts.ts';
import { emptyCron, type CronFormValues } from '../work-forms/form-values.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { readText } from '../forms/read-form.ts';
import { TestOutcome } from '../runs/TestOutcome.tsx';
import type { FieldErrors, SameCron } from '../services.ts';
import type { ShownTest } from '../runs/run-text.ts';
import type { Route } from './+types/crons.new.ts';

export async function loader({ context, url }: Route.LoaderArgs) {
  const { team, work, targets } = open(context);
  const from = url.searchParams.get('from');
  const source = from ? await work.findCron(team.id, from) : null;
  const fresh: CronFormValues = url.searchParams.has('sample')
    ? sampleCron(targets.echoUrl)
    : emptyCron;
  const formValues: CronFormValues = source
    ? { ...formValuesOfCron(source, work.isSecretHeader), name: `${source.name} (copy)` }
    : fresh;
  const choices = await work.listChannelChoices(team.id);
  return { formValues, from: source?.id ?? null, choices };
}

/** The cron that the first steps suggest. Its runs of a month are within a plan of 1,000. */
function sampleCron(echoUrl: string | null): CronFormValues {
  const target = echoUrl === null ? {} : { url: `${echoUrl}?from=cron` };
  return { ...emptyCron, name: 'First cron', cron_expression: '0 * * * *', ...target };
}

type Answer = {
  formValues: CronFormValues;
  errors?: FieldErrors;
  test?: ShownTest;
  pasted?: Pasted;
  same?: SameCron;
};

export async function action({ context }: Route.ActionArgs) {
  const { team, work, form, intent, say } = open(context);
  const from = readText(form, 'from');
  const stored = from ? ((await work.findCron(team.id, from))?.headers ?? []) : [];
  const reading = readCronForm(form, stored, intent === 'test');
  const { formValues } = reading;
  if (intent === 'look') return data<Answer>({ formValues });
  if (intent === 'paste')
    return data<Answer>(fillCronFromPaste(readText(form, 'paste'), formValues));
  if (!reading.ok) return data<Answer>({ formValues, errors: reading.errors }, { status: 422 });
  if (intent === 'test')
    return data<Answer>({ formValues, test: await testCron(work, team.id, reading) });
  const { cron, extras } = reading.input;
  const same = await findUntold(work, team.id, { form, input: cron });
  if (same) return data<Answer>({ formValues, same });
  const { made, errors } = await orTeamFull(work.createCron(team.id, { ...cron, ...extras }));
  if (errors) return data<Answer>({ formValues, errors }, { status: 422 });
  return say(`/crons/${made.id}`, `The cron “${made.name}” is created.`);
}

export default function NewCron({ loaderData, actionData }: Route.ComponentProps) {
  const answer: Answer = actionData ?? { formValues: loaderData.formValues };
  const { pasted } = answer;
  return (
    <>
      <PageHeader
        title={loaderData.from ? 'Duplicate cron' : 'Create cron'}
        parent={{ to: '/crons', text: 'Crons' }}
      />
      <CronForm
        // A paste must refill fields that already hold typed text, so the form is created anew.
        key={pasted ? JSON.stringify(answer.formValues) : loaderData.from}
        formValues={answer.formValues}
        errors={answer.errors}
        word="Create cron"
        cancelTo="/crons"
        from={loaderData.from}
        choices={loaderData.choices}
        paste={
          loaderData.from ? null : (
            <PasteBox
              text={pasted?.text}
              problem={pasted?.problem}
              notes={pasted?.notes}
              example="*/15 * * * * curl -fsS https://api.example.com/tasks/sync"
            />
          )
        }
        outcome={outcomeOf(answer)}
      />
    </>
  );
}

function outcomeOf({ test, same }: Answer) {
  if (test) return <TestOutcome outcome={test} />;
  return same ? <SameCronNotice same={same} /> : null;
}

import { open } from '../serving/open.ts';
import { data, Link, useLocation } from 'react-router';
import { notFound } from '../context.ts';
import { notHere } from '../serving/not-here.ts';
import { CronForm } from '../work-forms/CronForm.tsx';
import { readCronForm, formValuesOfCron } from '../work-forms/read-forms.ts';
import { takeLinkedUrl } from '../work-forms/linked-url.ts';
import { findUntold } from '../work-forms/same-cron.ts';
import { SameCronNotice } from '../work-forms/SameCronNotice.tsx';
import { testCron } from '../work-forms/test-drafts.ts';
import type { CronFormValues } from '../work-forms/form-values.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { changeSearch } from '../lists/Pagination.tsx';
import { UnreadableNotice } from '../parts/UnreadableNotice.tsx';
import { TestOutcome } from '../runs/TestOutcome.tsx';
import type { FieldErrors, SameCron } from '../services.ts';
import type { ShownTest } from '../runs/run-text.ts';
import type { Route } from './+types/crons.$id.edit.ts';

export async function loader({ params, context, url }: Route.LoaderArgs) {
  const { team, work } = open(context);
  const find = (teamId: string) => work.findCron(teamId, params.id);
  const cron = (await find(team.id)) ?? (await notHere(context, find));
  const search = url.searchParams;
  const areSecretsShown = search.get('secrets') === 'shown';
  const isMasked = (name: string) => !areSecretsShown && work.isSecretHeader(name);
  return {
    ...takeLinkedUrl(formValuesOfCron(cron, isMasked), search),
    id: cron.id,
    name: cron.name,
    unreadable: cron.unreadable,
    runsCounted: cron.runsCounted,
    hasSecrets: cron.headers.some(([name]) => work.isSecretHeader(name)),
    areSecretsShown,
    choices: await work.listChannelChoices(team.id),
  };
}

type Answer = {
  formValues: CronFormValues;
  errors?: FieldErrors;
  test?: ShownTest;
  same?: SameCron;
};

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, form, intent, say } = open(context);
  const cron = (await work.findCron(team.id, params.id)) ?? notFound();
  const reading = readCronForm(form, cron.headers, intent === 'test');
  const { formValues } = reading;
  if (intent === 'look') return data<Answer>({ formValues });
  if (!reading.ok) return data<Answer>({ formValues, errors: reading.errors }, { status: 422 });
  if (intent === 'test')
    return data<Answer>({ formValues, test: await testCron(work, team.id, reading) });
  const { cron: input, extras } = reading.input;
  const same = await findUntold(work, team.id, { form, input, ownId: cron.id });
  if (same) return data<Answer>({ formValues, same });
  if (!(await work.editCron(team.id, cron.id, { ...input, ...extras }))) notFound();
  return say(`/crons/${cron.id}`, 'The cron is saved. The next run is made with it.');
}

export default function EditCron({ loaderData, actionData }: Route.ComponentProps) {
  const { id, name, hasSecrets, areSecretsShown } = loaderData;
  const { search } = useLocation();
  const answer: Answer = actionData ?? { formValues: loaderData.formValues };
  return (
    <>
      <PageHeader
        title={`Edit ${name}`}
        parent={{ to: `/crons/${id}`, text: name }}
        note={
          hasSecrets ? (
            <>
              {areSecretsShown
                ? 'Secret headers are shown. '
                : 'Secret headers are masked and stay as they are unless you change them. '}
              <Link to={changeSearch(search, { secrets: areSecretsShown ? null : 'shown' })}>
                {areSecretsShown ? 'Hide secrets' : 'Show secrets'}
              </Link>
            </>
          ) : null
        }
      />
      <UnreadableNotice what={loaderData.unreadable} />
      <CronForm
        key={String(areSecretsShown)}
        formValues={answer.formValues}
        urlNote={loaderData.urlNote}
        errors={answer.errors}
        word="Save"
        cancelTo={`/crons/${id}`}
        runsCounted={loaderData.runsCounted}
        choices={loaderData.choices}
        outcome={outcomeOf(answer)}
      />
    </>
  );
}

function outcomeOf({ test, same }: Answer) {
  if (test) return <TestOutcome outcome={test} />;
  return same ? <SameCronNotice same={same} /> : null;
}

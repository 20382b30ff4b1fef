import { Link, useLocation } from 'react-router';
import { useFormAnswer } from '../forms/Form.tsx';
import { readText, valuesOf } from '../forms/values.ts';
import { changeSearch } from '../lists/List.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { UnreadableNotice } from '../parts/Notice.tsx';
import { shortenTest, type ShownTest } from '../runs/run-text.ts';
import { TestOutcome } from '../runs/TestOutcome.tsx';
import { notFound, notHere, open, orTeamFull } from '../serving/open.ts';
import type { SameCron } from '../services.ts';
import { CronForm } from '../work-forms/CronForm.tsx';
import { newCron, storedCron, takeLinkedUrl, valuesOfCron } from '../work-forms/form-values.ts';
import { fillFromPaste, type Pasted } from '../work-forms/paste.ts';
import { PasteBox } from '../work-forms/PasteBox.tsx';
import { hasMask } from '#domain/masking';
import { findMasked, readCronForm } from '../work-forms/read-forms.ts';
import { sameAsField, SameCronNotice } from '../work-forms/SameCronNotice.tsx';
import type { Route } from './+types/crons.form.ts';

/** `/crons/new`, `/crons/:id/edit` */
export async function loader({ params, context, url }: Route.LoaderArgs) {
  const { team, work, people, targets } = open(context);
  const sendsMail = people.accounts.sendsMail();
  const search = url.searchParams;
  const choices = await work.listChannelChoices(team.id);
  if (params.id === undefined) {
    const from = search.get('from');
    const source = from ? await work.findCron(team.id, from) : null;
    const sample = search.has('sample') ? sampleOf(targets.echoUrl) : {};
    const values = source
      ? { ...valuesOfCron(source, work.isSecretHeader), name: `${source.name} (copy)` }
      : { ...newCron, ...sample };
    return { values, urlNote: undefined, cron: null, from: source?.id ?? null, choices, sendsMail };
  }
  const { id } = params;
  const areSecretsShown = search.get('secrets') === 'shown';
  const options = { showSecrets: areSecretsShown };
  const cron =
    (await work.findCron(team.id, id, options)) ??
    (await notHere(context, (teamId) => work.findCron(teamId, id)));
  const isMasked = (name: string) => !areSecretsShown && work.isSecretHeader(name);
  const { name, unreadable, runsCounted } = cron;
  const hasSecrets =
    areSecretsShown || hasMask(cron) || cron.headers.some(([name]) => work.isSecretHeader(name));
  return {
    ...takeLinkedUrl(valuesOfCron(cron, isMasked), search),
    cron: { id, name, unreadable, runsCounted, hasSecrets, areSecretsShown },
    from: null,
    choices,
    sendsMail,
  };
}

/** Its runs of a month are within a plan of 1,000. */
function sampleOf(echoUrl: string | null) {
  const target = echoUrl === null ? {} : { url: `${echoUrl}?from=cron` };
  return { name: 'First cron', cron_expression: '0 * * * *', ...target };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, form, intent, show, refuse, say } = open(context);
  const { id } = params;
  const from = id ?? readText(form, 'from');
  const cron = from ? await work.findCronToEdit(team.id, from) : null;
  if (id !== undefined && !cron) notFound();
  const stored = cron ? storedCron(cron, await work.readMask(team.id)) : undefined;
  if (intent === 'look') return show({});
  if (intent === 'paste') return show(fillFromPaste(valuesOf(form), false));
  const reading = readCronForm(form, stored, intent === 'test');
  if (!reading.ok) return refuse(reading.errors);
  const { input } = reading;
  if (intent === 'test') {
    const draft = { ...input, kind: 'cron' as const, masked: findMasked(form) };
    return show({ test: shortenTest(await work.testRun(team.id, draft)) });
  }
  // Unless the member has agreed to it (§3.1).
  const same = await work.findSameCron(team.id, input, id);
  if (same && same.id !== readText(form, sameAsField)) return show({ same });
  if (id !== undefined) {
    if (!(await work.editCron(team.id, id, input))) notFound();
    return say(`/crons/${id}`, 'The cron is saved. The next run uses the new settings.');
  }
  const { made, errors } = await orTeamFull(work.createCron(team.id, input));
  if (errors) return refuse(errors);
  return say(`/crons/${made.id}`, `The cron “${made.name}” is created.`);
}

type Answer = { test: ShownTest; same: SameCron; pasted: Pasted };

export default function CronFormPage({ loaderData }: Route.ComponentProps) {
  const { cron, from } = loaderData;
  const { values, test, same, pasted } = useFormAnswer<Answer>();
  const key = `${from} ${cron?.areSecretsShown}`;
  return (
    <>
      {cron ? (
        <>
          <PageHeader
            title={`Edit ${cron.name}`}
            parent={{ to: `/crons/${cron.id}`, text: cron.name }}
            note={cron.hasSecrets ? <SecretsNote areShown={cron.areSecretsShown} /> : null}
          />
          <UnreadableNotice what={cron.unreadable} />
        </>
      ) : (
        <PageHeader
          title={from ? 'Duplicate cron' : 'Create cron'}
          parent={{ to: '/crons', text: 'Crons' }}
        />
      )}
      <CronForm
        // A paste must refill fields with typed text.
        key={pasted ? JSON.stringify(values) : key}
        values={loaderData.values}
        urlNote={loaderData.urlNote}
        word={cron ? 'Save' : 'Create cron'}
        cancelTo={cron ? `/crons/${cron.id}` : '/crons'}
        choices={loaderData.choices}
        sendsMail={loaderData.sendsMail}
        isNew={cron === null}
        from={from}
        runsCounted={cron?.runsCounted ?? 0}
        paste={
          cron || from ? null : (
            <PasteBox
              pasted={pasted}
              example="*/15 * * * * curl -fsS https://api.example.com/tasks/sync"
            />
          )
        }
        outcome={
          test ? <TestOutcome outcome={test} /> : same ? <SameCronNotice same={same} /> : null
        }
      />
    </>
  );
}

function SecretsNote({ areShown }: { areShown: boolean }) {
  const { search } = useLocation();
  return (
    <>
      {areShown
        ? 'Secrets are shown, and the activity says so. '
        : 'Secrets are masked and stay unchanged unless you edit them. '}
      <Link to={changeSearch(search, { secrets: areShown ? null : 'shown' })}>
        {areShown ? 'Hide secrets' : 'Show secrets'}
      </Link>
    </>
  );
}

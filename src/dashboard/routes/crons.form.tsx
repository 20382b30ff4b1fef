import { Link } from 'react-router';
import { useField, useFormAnswer } from '../forms/Form.tsx';
import { readText, valuesOf } from '../forms/values.ts';
import { Button, Submit } from '../parts/Button.tsx';
import { Notice, UnreadableNotice } from '../parts/Notice.tsx';
import { shortenTest } from '../runs/run-text.ts';
import { FormOutcome } from '../runs/TestOutcome.tsx';
import { notFound, notHere, open, orTeamFull } from '../serving/open.ts';
import { findChange, withVersion } from '../serving/version.ts';
import type { ChannelChoice, SameCron } from '../services.ts';
import { newCron, storedCron, takeLinkedUrl, valuesOfCron } from '../work-forms/form-values.ts';
import { fillFromPaste } from '../work-forms/paste.ts';
import { RequestForm, requestForm, type Revealing } from '../work-forms/RequestForm.tsx';
import { hasMask } from '#domain/runs/masking';
import { nameOfKind } from '#domain/alerts/notification-channel';
import { findMasked, readCronForm, revealMasked } from '../work-forms/read-forms.ts';
import { STOP_AFTER } from '#domain/alerts/alert-streak';
import { LIMITS, rangeOf } from '#domain/base/limits';
import { DEFAULT_REF } from '#domain/alerts/alert-settings';
import { AlertFields } from '../alerts/AlertFields.tsx';
import { nameOfChannel } from '../alerts/alert-words.ts';
import { CheckField, ChoiceField, InstantField, NumberField, TextField } from '../forms/Field.tsx';
import { Advanced } from '../forms/Advanced.tsx';
import { Section } from '../parts/Section.tsx';
import {
  MoreFields,
  PayloadField,
  RequestPreview,
  ResponseFields,
  TagsField,
  TargetFields,
  targetNote,
} from '../work-forms/RequestFields.tsx';
import { ScheduleFields, SchedulePreview } from '../work-forms/ScheduleFields.tsx';
import type { Route } from './+types/crons.form.ts';

/** The member has seen this cron and saves anyway. */
const sameAsField = 'same_as';
const sameTitle = 'Another cron does the same';

/** `/crons/new`, `/crons/:id/edit` */
export async function loader({ params, context, url }: Route.LoaderArgs) {
  const { team, work, people, echoUrl } = open(context);
  const sendsMail = people.accounts.sendsMail();
  const search = url.searchParams;
  const choices = await work.listChannelChoices(team.id);
  if (params.id === undefined) {
    const from = search.get('from');
    const source = from ? await work.findCron(team.id, from) : null;
    const sample = search.has('sample') ? sampleOf(echoUrl) : {};
    const values = source
      ? { ...valuesOfCron(source, work.isSecretHeader), name: `${source.name} (copy)` }
      : { ...newCron, ...sample };
    return { values, urlNote: undefined, cron: null, from: source?.id ?? null, choices, sendsMail };
  }
  const { id } = params;
  const cron =
    (await work.findCron(team.id, id)) ??
    (await notHere(context, (teamId) => work.findCron(teamId, id)));
  const { name, unreadable, runsCounted } = cron;
  const hasSecrets = hasMask(cron) || cron.headers.some(([name]) => work.isSecretHeader(name));
  return {
    ...takeLinkedUrl(withVersion(valuesOfCron(cron, work.isSecretHeader)), search),
    cron: { id, name, unreadable, runsCounted, hasSecrets },
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
  if (intent === 'secrets' && id !== undefined && stored) {
    // The activity records this; if that fails, nothing is shown.
    await work.findCron(team.id, id, { showSecrets: true });
    const note = 'Secrets are shown, and the activity records that.';
    return show({ values: revealMasked(valuesOf(form), stored), revealed: { note } });
  }
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
    const shown = (await work.findCron(team.id, id)) ?? notFound();
    const valuesAs = (settings: Partial<typeof shown>) =>
      valuesOfCron({ ...shown, ...settings }, work.isSecretHeader);
    const stale = findChange(form, valuesAs({}), valuesAs(input));
    if (stale) return show(stale);
    if (!(await work.editCron(team.id, id, input))) notFound();
    return say(`/crons/${id}`, 'The cron is saved. The next run uses the new settings.');
  }
  const { made, errors } = await orTeamFull(work.createCron(team.id, input));
  if (errors) return refuse(errors);
  return say(`/crons/${made.id}`, `The cron “${made.name}” is created.`);
}

const thresholds = [
  { value: '', text: 'No alerts' },
  { value: '1', text: 'After 1 failed run' },
  { value: '2', text: 'After 2 failed runs in a row' },
  { value: '3', text: 'After 3 failed runs in a row' },
];

/** Open at once; the rest is under Advanced. */
const essentials = new Set(['name', 'method', 'url', 'cron_expression', 'alert_threshold']);

export default function CronFormPage({ loaderData }: Route.ComponentProps) {
  const { cron, from, choices, values } = loaderData;
  const { same, revealed } = useFormAnswer<{ same: SameCron } & Revealing>();
  const runsCounted = cron?.runsCounted ?? 0;
  return (
    <RequestForm
      title={cron ? `Edit ${cron.name}` : from ? 'Duplicate cron' : 'Create cron'}
      parent={cron ? { to: `/crons/${cron.id}`, text: cron.name } : { to: '/crons', text: 'Crons' }}
      note={
        cron?.hasSecrets ? (
          <>
            {revealed?.note ?? 'Masked secrets stay unchanged unless you edit them.'}{' '}
            <Submit intent="secrets" form={requestForm} size="small">
              Show secrets
            </Submit>
          </>
        ) : null
      }
      notice={<UnreadableNotice what={cron?.unreadable ?? null} />}
      values={values}
      from={from}
      example={cron || from ? null : '*/15 * * * * curl -fsS https://api.example.com/tasks/sync'}
      word={cron ? 'Save' : 'Create cron'}
      answer={
        same ? (
          <FormOutcome label={sameTitle} of={same} block="center">
            <Notice kind="warning" title={sameTitle}>
              <p>
                <Link to={`/crons/${same.id}`}>{same.name}</Link> already calls this URL on this
                schedule, so the URL would be called twice each time. Nothing is saved yet.
              </p>
              <Button type="submit" name={sameAsField} value={same.id} variant="default">
                Save anyway
              </Button>
            </Notice>
          </FormOutcome>
        ) : null
      }
    >
      <Section title="Target" note={targetNote} preview={<RequestPreview />}>
        <TextField
          name="name"
          required
          maxLength={LIMITS.nameCharacters}
          autoComplete="off"
          placeholder="Close the month"
          autoFocus={cron === null}
        />
        <TargetFields urlNote={loaderData.urlNote} />
      </Section>
      <Section
        title="Schedule"
        note="Crons run in UTC, at most once a minute."
        preview={<SchedulePreview runsCounted={runsCounted} />}
      >
        <ScheduleFields />
      </Section>
      <Section title="Alerts" note="When runs fail.">
        <ChoiceField
          name="alert_threshold"
          description={describeWay(choices, loaderData.sendsMail)}
          choices={thresholds}
          isShort
        />
      </Section>
      <AdvancedFields choices={choices} runsCounted={runsCounted} />
    </RequestForm>
  );
}

type AdvancedFieldsProps = { choices: readonly ChannelChoice[]; runsCounted: number };

function AdvancedFields({ choices, runsCounted }: AdvancedFieldsProps) {
  const { value: mostRuns = '' } = useField('max_runs');
  return (
    <Advanced defaults={newCron} essentials={essentials}>
      <Section title="Request" note="Every run sends the same request.">
        <PayloadField
          description="JSON is sent as that JSON, any other text as {“body”: text}. A GET sends it in the query string."
          rows={5}
        />
        <MoreFields />
      </Section>
      <Section
        title="Success"
        note="A run succeeds if the response is 2xx and meets every assertion. Crons are never retried."
      >
        <ResponseFields />
      </Section>
      <Section title="Start and end" note="When the schedule applies.">
        <CheckField
          name="is_active"
          label="Active"
          description="If unticked, the cron is paused: it does not run until you start it."
        />
        <InstantField
          name="starts_at"
          label="Starts at"
          description="UTC, such as 2026-12-01 06:00. No scheduled run starts before this time. Empty: now."
          placeholder="now"
        />
        <InstantField
          name="ends_at"
          label="Ends at"
          description="UTC, such as 2026-12-31 18:00. No scheduled run starts after this time. Empty: no end."
          placeholder="none"
        />
        <NumberField
          name="max_runs"
          label="Ends after runs"
          description={`Stop after this many scheduled runs; Run now does not count.${mostRuns === '' ? '' : ` ${runsCounted} so far.`} Empty: no end.`}
          placeholder="none"
        />
        <NumberField
          name="stop_after"
          label="Stop after failed runs"
          description={`Pauses the cron and raises an alert after this many failed runs in a row, ${rangeOf(STOP_AFTER)}. To continue, start it again. Empty: never.`}
          placeholder="never"
        />
      </Section>
      <Section title="More alerts" note="When runs are slow, and who is notified.">
        <AlertFields
          choices={choices}
          channelNote="Choose channels for each alert level. If none is ticked, the alert is shown on the Alerts page only."
          reminderNote="Repeats the notification while the cron keeps failing."
        />
      </Section>
      <Section title="Tags" note="To find it again.">
        <TagsField />
      </Section>
    </Advanced>
  );
}

function describeWay(choices: readonly ChannelChoice[], sendsMail: boolean): string {
  const standard = choices.find(({ id }) => id === DEFAULT_REF);
  if (!standard) return 'Alerts appear on the Alerts page.';
  if (standard.kind !== 'email')
    return `Alerts go to ${nameOfChannel(standard)} (${nameOfKind(standard.kind)}) and to the Alerts page.`;
  return sendsMail
    ? 'Alerts are emailed to every member and appear on the Alerts page.'
    : 'Alerts appear on the Alerts page. Email is not configured.';
}

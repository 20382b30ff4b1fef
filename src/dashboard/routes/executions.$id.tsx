import { Button, ButtonLink } from '../parts/Button.tsx';
import { formatMilliseconds } from '#domain/duration-words';
import { notFound, requestFacts, services, signedIn } from '../context.ts';
import { notHere } from '../serving/not-here.ts';
import { redirectWithToast } from '../serving/cookies.ts';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { CutText } from '../parts/CutText.tsx';
import { Form } from '../forms/Form.tsx';
import { useLiveRefresh } from '../page/LiveRefresh.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { describeExpression } from '../words/schedule-words.ts';
import { Status } from '../parts/Status.tsx';
import { formatUtc, Time } from '../parts/Time.tsx';
import { executionStatus } from '../runs/History.tsx';
import { mayBeSent } from '../runs/reasons.ts';
import { CallbackFact, FailureNotice, Panel, RunPanels } from '../runs/RunParts.tsx';
import { leaveOutLongTexts, type PageRun } from '../runs/run-text.ts';
import type { ExecutionRunDetail } from '../services.ts';
import type { Route } from './+types/executions.$id.ts';

type ShownExecution = PageRun & Omit<ExecutionRunDetail, keyof PageRun>;

export async function loader({ params, context, url }: Route.LoaderArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const search = url.searchParams;
  const secretsShown = search.get('secrets') === 'shown';
  const run =
    (await work.readExecutionDetail(team.id, params.id, { showSecrets: secretsShown })) ??
    (await notHere(context, (teamId) => work.readExecutionDetail(teamId, params.id)));
  const wholeBody =
    search.get('body') === 'whole' ? await work.readResponseText(team.id, run.execution.id) : null;
  return { run: leaveOutLongTexts(run), secretsShown, wholeBody };
}

export async function action({ params, context }: Route.ActionArgs) {
  const { team } = context.get(signedIn);
  const { work } = context.get(services);
  const run = (await work.readExecutionDetail(team.id, params.id)) ?? notFound();
  const again = (await work.runCronNow(team.id, run.cron.id)) ?? notFound();
  return redirectWithToast(
    `/executions/${again.id}`,
    { kind: 'done', text: 'Another run is on its way, beside the schedule.' },
    context.get(requestFacts).baseUrl,
  );
}

export default function ExecutionPage({ loaderData }: Route.ComponentProps) {
  useLiveRefresh(5);
  const { run, secretsShown, wholeBody } = loaderData;
  const { execution, cron, explanation } = run;
  const at = execution.scheduledFor ?? execution.createdAt;
  return (
    <>
      <PageHeader
        title={`Run of ${cron.name}`}
        beside={<Status name={executionStatus(execution.status)} />}
        parent={{ to: `/crons/${cron.id}`, text: cron.name }}
        note={formatUtc(at)}
        more={
          <ButtonLink to={`/crons/${cron.id}/edit`} variant="default">
            Edit cron
          </ButtonLink>
        }
        action={
          <Form>
            <Button type="submit">Run now</Button>
          </Form>
        }
      />
      <div className="stack">
        {explanation ? (
          <FailureNotice
            explanation={explanation}
            response={run.response}
            editTo={`/crons/${cron.id}/edit`}
          />
        ) : null}
        <Facts run={run} />
        <RunPanels
          run={run}
          durationMs={execution.durationMs}
          isSent={mayBeSent(execution)}
          secretsShown={secretsShown}
          wholeBody={wholeBody}
          textsAt={`/executions/${run.execution.id}/text`}
        />
      </div>
    </>
  );
}

function Facts({ run }: { run: ShownExecution }) {
  const { execution, cron, callback } = run;
  return (
    <Panel title="Run">
      <DefinitionList
        entries={[
          [
            'Started by',
            execution.scheduledFor === null
              ? 'Run now'
              : `Schedule: ${describeExpression(cron.cronExpression)}`,
          ],
          [
            'Scheduled for',
            execution.scheduledFor === null ? null : (
              <Time key="s" at={execution.scheduledFor} exact />
            ),
          ],
          ['Started', <Time key="t" at={execution.startedAt} exact />],
          ['Completed', <Time key="c" at={execution.completedAt} exact />],
          [
            'Duration',
            execution.durationMs === null ? null : formatMilliseconds(execution.durationMs),
          ],
          ['Error', execution.errorMessage],
          ['Callback', <CallbackFact key="callback" callback={callback} />],
          ['Id', <CutText key="id" text={execution.id} copy="Copy id" />],
        ]}
      />
    </Panel>
  );
}

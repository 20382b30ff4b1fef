import { ActionButton } from '../forms/Form.tsx';
import { notFound, open } from '../serving/open.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { CutText } from '../parts/RequestLine.tsx';
import { PageHeader } from '../page/PageHeader.tsx';
import { describeExpression } from '../words/schedule-words.ts';
import { Status } from '../parts/Status.tsx';
import { Time } from '../parts/Time.tsx';
import { formatUtc } from '../words/times.ts';
import { readRunPage } from '../runs/read-run.ts';
import { RunPage } from '../runs/RunPage.tsx';
import type { Route } from './+types/executions.$id.ts';

export function loader(asked: Route.LoaderArgs) {
  return readRunPage(asked, (work, ...which) => work.readExecutionDetail(...which));
}

export async function action({ params, context }: Route.ActionArgs) {
  const { team, work, say } = open(context);
  const run = (await work.readExecutionDetail(team.id, params.id)) ?? notFound();
  const again = (await work.runCronNow(team.id, run.cron.id)) ?? notFound();
  return say(`/executions/${again.id}`, 'Another run has started, in addition to the schedule.');
}

export default function ExecutionPage({ loaderData }: Route.ComponentProps) {
  const { cron, record } = loaderData.run;
  const { scheduledFor, actor } = record;
  const edit = `/crons/${cron.id}/edit`;
  return (
    <>
      <PageHeader
        title={`Run of ${cron.name}`}
        every={5}
        beside={<Status name={record.status} />}
        parent={{ to: `/crons/${cron.id}`, text: cron.name }}
        note={formatUtc(scheduledFor ?? record.createdAt)}
        more={
          <ButtonLink to={edit} variant="default">
            Edit cron
          </ButtonLink>
        }
        action={<ActionButton variant="filled">Run now</ActionButton>}
      />
      <RunPage
        page={loaderData}
        editTo={edit}
        title="Run"
        facts={[
          [
            'Started by',
            scheduledFor === null
              ? `Run now${actor === null ? '' : `, by ${actor}`}`
              : `Schedule: ${describeExpression(cron.cronExpression)}`,
          ],
          ['Scheduled for', scheduledFor === null ? null : <Time at={scheduledFor} exact />],
        ]}
        lastFacts={[['Id', <CutText text={record.id} copy="Copy id" />]]}
      />
    </>
  );
}

import type { ReactNode } from 'react';
import { formatMilliseconds } from '#domain/base/duration-words';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { RequestLine } from '../parts/RequestLine.tsx';
import { Time } from '../parts/Time.tsx';
import type { ExecutionRunDetail, JobRunDetail, ShownCallback } from '../services.ts';
import { Panel } from '../parts/Panel.tsx';
import { FailureNotice, RunPanels } from './RunParts.tsx';
import { SourceOfRun } from './SourceOfRun.tsx';
import type { FailedSource } from './read-run.ts';
import { mayBeSent } from './reasons.ts';
import { pageOfRun } from './run-links.ts';
import type { PageRun } from './run-text.ts';

import classes from './Run.module.css';

/** Omitted fields are for forms. */
export type ShownRun<Detail extends JobRunDetail | ExecutionRunDetail> = PageRun &
  Omit<Detail, keyof PageRun | 'again'>;

type Entries = readonly (readonly [string, ReactNode])[];

type RunPageProps = {
  page: {
    run: ShownRun<JobRunDetail> | ShownRun<ExecutionRunDetail>;
    secretsShown: boolean;
    wholeBody: string | null;
    source: FailedSource | null;
  };
  title: string;
  facts: Entries;
  lastFacts?: Entries;
  editTo: string;
  above?: ReactNode;
  notices?: ReactNode;
  beside?: ReactNode;
  below?: ReactNode;
};

export function RunPage(props: RunPageProps) {
  const { run, source, ...shown } = props.page;
  const { kind, record, explanation, response, callback } = run;
  const { startedAt, completedAt, durationMs, errorMessage } = record;
  return (
    <div className="stack">
      {props.above}
      {explanation ? (
        <FailureNotice explanation={explanation} response={response} editTo={props.editTo}>
          <SourceOfRun source={source} />
        </FailureNotice>
      ) : null}
      {props.notices}
      <div className={props.beside ? classes.columns : undefined}>
        <Panel title={props.title}>
          <DefinitionList
            entries={[
              ...props.facts,
              ['Started', startedAt === null ? null : <Time at={startedAt} exact />],
              ['Completed', completedAt === null ? null : <Time at={completedAt} exact />],
              ['Duration', durationMs === null ? null : formatMilliseconds(durationMs)],
              ['Error', errorMessage],
              [
                'Callback',
                <>
                  {callbackWords[callback.state]}{' '}
                  {callback.url ? (
                    <RequestLine url={callback.url} copy="Copy callback URL" />
                  ) : null}
                </>,
              ],
              ...(props.lastFacts ?? []),
            ]}
          />
        </Panel>
        {props.beside}
      </div>
      <RunPanels
        {...shown}
        run={run}
        durationMs={durationMs}
        isSent={mayBeSent(record, run.timing)}
        textsAt={`${pageOfRun(kind, record.id)}/text`}
      />
      {props.below}
    </div>
  );
}

const callbackWords: Readonly<Record<ShownCallback['state'], string>> = {
  none: 'No callback URL',
  'not-due': 'Not sent for this run',
  waiting: 'Waiting to be sent',
  sent: 'Sent once; the response is not kept',
};

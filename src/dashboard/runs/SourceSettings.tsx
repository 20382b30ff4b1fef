import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Assertion } from '#domain/judging/assertion';
import { MuteForAnHour } from '../alerts/MaintenanceNotice.tsx';
import { CutText } from '../parts/RequestLine.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { Tags } from '../parts/Tags.tsx';
import { Time } from '../parts/Time.tsx';
import { countOf } from '../words/amounts.ts';
import { Panel } from '../parts/Panel.tsx';
import type { SourceFacts } from './SourcePage.tsx';

type Entries = readonly (readonly [string, ReactNode])[];

type SourceSettingsProps = {
  of: 'cron' | 'queue';
  source: {
    id: string;
    tags: readonly string[];
    assertions: readonly Assertion[];
    createdAt: number;
  };
  first: Entries;
  last?: Entries;
  facts: SourceFacts;
  alerts: { title: string; isOn: boolean; words: string };
  recipientsTitle: string;
  children?: ReactNode;
};

export function SourceSettings(props: SourceSettingsProps) {
  const { of, source, first, last = [], facts, alerts, recipientsTitle, children } = props;
  const { alertSettings, windows } = facts;
  const { note, runbookUrl, remindHours, slowSeconds, certificates } = alertSettings;
  const { id, tags, assertions, createdAt } = source;
  const to = `/alerts?source=${encodeURIComponent(`${of}:${id}`)}`;
  const mayRaise = alerts.isOn || slowSeconds !== null || certificates;
  const alertFact = (
    <span className="row">
      <span>{alerts.words}</span>
      <Link to={to}>See its alerts</Link>
      {mayRaise && windows.length === 0 ? <MuteForAnHour source={`${of}:${id}`} isSmall /> : null}
    </span>
  );
  return (
    <Panel title="Settings">
      <DefinitionList
        entries={[
          ['Tags', tags.length === 0 ? null : <Tags tags={tags} of={`${of}s`} />],
          ...first,
          [alerts.title, alertFact],
          [recipientsTitle, facts.recipients],
          [
            'Slow runs',
            slowSeconds === null ? null : `Alerts when one takes longer than ${slowSeconds} s`,
          ],
          ['Certificates', certificates ? 'Alerts when one of a target ends soon' : null],
          [
            'Reminders',
            remindHours === null
              ? null
              : `Every ${countOf(remindHours, 'hour', 'hours')} while it keeps failing`,
          ],
          ['Note', note],
          [
            'Runbook',
            runbookUrl === null ? null : (
              <a href={runbookUrl} rel="noreferrer">
                {runbookUrl}
              </a>
            ),
          ],
          [
            'Success assertions',
            assertions.length === 0 ? (
              'None'
            ) : (
              <ul>
                {assertions.map((assertion, at) => (
                  <li key={at}>{describe(assertion)}</li>
                ))}
              </ul>
            ),
          ],
          ...last,
          ['Id', <CutText text={id} copy="Copy id" />],
          ['Created', <Time at={createdAt} />],
        ]}
      />
      {children}
    </Panel>
  );
}

function describe(assertion: Assertion) {
  switch (assertion.kind) {
    case 'json_path_equals':
      return (
        <>
          JSON path <code>{assertion.path}</code> equals <code>{assertion.expected}</code>
        </>
      );
    case 'body_contains':
      return (
        <>
          Body contains <code>{assertion.text}</code>
        </>
      );
    case 'response_time_under':
      return `Response time under ${assertion.ms.toLocaleString('en')} ms`;
  }
}

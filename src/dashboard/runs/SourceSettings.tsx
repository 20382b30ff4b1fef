import type { ReactNode } from 'react';
import type { AlertSettings } from '#domain/alert-settings';
import type { Assertion } from '#domain/assertion';
import { AlertFact } from '../alerts/MaintenanceNotice.tsx';
import { noteEntries } from '../alerts/note-entries.tsx';
import { CutText } from '../parts/CutText.tsx';
import { DefinitionList } from '../parts/DefinitionList.tsx';
import { Tags } from '../parts/Tags.tsx';
import { Time } from '../parts/Time.tsx';
import { AssertionList } from './AssertionList.tsx';
import { Panel } from './RunParts.tsx';

type Entries = readonly (readonly [string, ReactNode])[];

type SourceSettingsProps = {
  of: 'cron' | 'queue';
  source: {
    id: string;
    tags: readonly string[];
    assertions: readonly Assertion[];
    createdAt: number;
  };
  /** Its own settings, before and behind those of alerts. */
  first: Entries;
  last?: Entries;
  alertSettings: AlertSettings;
  /** Whether it tells of failures, and how that is called and said. */
  alerts: { title: string; isOn: boolean; words: string };
  isMuted: boolean;
  /** Who is told, and how that is called; null where it is the default channel. */
  told: readonly [string, string | null];
  /** What follows the list. */
  children?: ReactNode;
};

/** The settings of a cron or a queue, on its page. */
export function SourceSettings(props: SourceSettingsProps) {
  const { of, source, first, last = [], alertSettings, alerts, isMuted, told, children } = props;
  const { id, tags, assertions, createdAt } = source;
  const alertFact = (
    <AlertFact
      source={`${of}:${id}`}
      isOn={alerts.isOn || alertSettings.slow !== null}
      isMuted={isMuted}
    >
      {alerts.words}
    </AlertFact>
  );
  return (
    <Panel title="Settings">
      <DefinitionList
        entries={[
          ['Tags', tags.length === 0 ? null : <Tags key="tags" tags={tags} of={`${of}s`} />],
          ...first,
          [alerts.title, alertFact],
          told,
          ...noteEntries(alertSettings),
          [
            'Success assertions',
            assertions.length === 0 ? 'None' : <AssertionList assertions={assertions} />,
          ],
          ...last,
          ['Id', <CutText key="id" text={id} copy="Copy id" />],
          ['Created', <Time key="created" at={createdAt} />],
        ]}
      />
      {children}
    </Panel>
  );
}

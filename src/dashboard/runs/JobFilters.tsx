import type { FilterFaults } from '#domain/runs/read-filters';
import { FilterBar, OtherFaults, useFilter } from '../lists/FilterBar.tsx';
import {
  FilterChoice,
  FilterCodes,
  FilterText,
  FilterTimes,
  FilterWords,
  FurtherFilters,
} from '../lists/FilterFields.tsx';
import type { BoundedCount, JobTab } from '../services.ts';
import { formatAmount } from '../words/amounts.ts';
import classes from './JobFilters.module.css';
import { reasonOptions } from './reasons.ts';

type Queues = readonly { id: string; name: string }[];

type JobFiltersProps = {
  queues: Queues;
  tab: JobTab;
  faults: FilterFaults | null;
  resent: BoundedCount;
};

/** One box recognises ids, addresses, codes and reasons. All fields combine. */
export function JobFilters({ queues, tab, faults, resent }: JobFiltersProps) {
  const { value: target } = useFilter('target');
  return (
    <FilterBar
      label="Search jobs"
      faults={faults}
      clearTo={`/jobs?tab=${tab}`}
      keep={tab === 'failed' ? ['tab', 'target'] : ['tab', 'target', 'resent']}
    >
      <FilterWords placeholder="Id, URL, queue, status code, reason or any text" />
      <QueueFilter queues={queues} />
      <FilterChoice name="reason" label="Reason" options={reasonOptions} />
      {tab === 'failed' ? (
        <FilterChoice
          name="resent"
          label="Resent or not"
          options={[
            ['', 'Not resent'],
            ['only', `Resent (${formatAmount(resent)})`],
            ['any', 'Resent or not'],
          ]}
        />
      ) : null}
      <FurtherFilters names={['payload', 'response', 'code', 'from', 'to']}>
        <FilterText name="payload" label="Payload contains" />
        <FilterText name="response" label="Response contains" />
        <FilterCodes />
        <FilterTimes />
      </FurtherFilters>
      <OtherFaults faults={faults} names={{ tab: 'Tab', target: 'Target' }} />
      {target ? (
        <p className={classes.target}>
          Target <code>{target}</code>
        </p>
      ) : null}
    </FilterBar>
  );
}

export function QueueFilter({ queues }: { queues: Queues }) {
  const each = queues.map(({ id, name }) => [id, name] as const);
  return <FilterChoice name="queue" label="Queue" options={[['', 'All queues'], ...each]} />;
}

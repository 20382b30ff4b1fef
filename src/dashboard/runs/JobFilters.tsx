import { FilterBar } from '../parts/FilterBar.tsx';
import type { JobTab } from '../services.ts';
import { reasonNames, reasons } from './reasons.ts';
import classes from './JobFilters.module.css';

const further = ['payload', 'response', 'code', 'from', 'to'] as const;

/** The search of the jobs list: one box for what is known by its look, and fields for the rest. All combine. */
export function JobFilters({
  queues,
  tab,
  params,
  narrowed,
}: {
  queues: readonly { id: string; name: string }[];
  tab: JobTab;
  params: URLSearchParams;
  narrowed: boolean;
}) {
  const valueOf = (name: string) => params.get(name) ?? '';
  return (
    <FilterBar
      label="Search jobs"
      keep={['tab', 'target']}
      {...(narrowed ? { clearTo: `/jobs?tab=${tab}` } : {})}
    >
      <input
        className="control"
        type="search"
        name="q"
        aria-label="Search"
        placeholder="Id, URL, status code, reason or payload text"
        defaultValue={valueOf('q')}
      />
      <select className="control" name="queue" aria-label="Queue" defaultValue={valueOf('queue')}>
        <option value="">All queues</option>
        {queues.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <ReasonChoice value={valueOf('reason')} />
      {tab === 'failed' ? (
        <label className={classes.check}>
          <input
            type="checkbox"
            name="hide_retried"
            value="1"
            defaultChecked={valueOf('hide_retried') === '1'}
          />
          Hide retried
        </label>
      ) : null}
      <Further valueOf={valueOf} />
      {valueOf('target') ? (
        <p className={classes.target}>
          Target <code>{valueOf('target')}</code>
        </p>
      ) : null}
    </FilterBar>
  );
}

function ReasonChoice({ value }: { value: string }) {
  return (
    <select className="control" name="reason" aria-label="Reason" defaultValue={value}>
      <option value="">Any reason</option>
      {reasons.map((reason) => (
        <option key={reason} value={reason}>
          {reasonNames[reason]}
        </option>
      ))}
    </select>
  );
}

function Further({ valueOf }: { valueOf: (name: string) => string }) {
  return (
    <details className={classes.more} open={further.some((name) => valueOf(name) !== '')}>
      <summary>More filters</summary>
      <div className={classes.fields}>
        <Text name="payload" label="Payload contains" value={valueOf('payload')} />
        <Text name="response" label="Response contains" value={valueOf('response')} />
        <Text name="code" label="Status code" value={valueOf('code')} placeholder="503 or none" />
        <Text name="from" label="From (UTC)" value={valueOf('from')} type="datetime-local" />
        <Text name="to" label="To (UTC)" value={valueOf('to')} type="datetime-local" />
      </div>
    </details>
  );
}

function Text({
  name,
  label,
  value,
  type = 'text',
  placeholder,
}: {
  name: string;
  label: string;
  value: string;
  type?: string;
  placeholder?: string;
}) {
  return (
    <label>
      <span>{label}</span>
      <input
        className="control"
        type={type}
        name={name}
        defaultValue={value}
        placeholder={placeholder}
        autoComplete="off"
        {...(type === 'datetime-local' ? { step: 1 } : {})}
      />
    </label>
  );
}

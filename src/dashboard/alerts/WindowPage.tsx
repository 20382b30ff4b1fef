import { useMayNotify } from '../page/may-change.ts';
import { PageHeader } from '../page/PageHeader.tsx';
import { DataTable } from '../lists/DataTable.tsx';
import type { Alert, FieldErrors, NamedSource } from '../services.ts';
import { alertColumnsFor } from './AlertTable.tsx';
import { WindowForm } from './WindowForm.tsx';
import type { WindowFormValues } from './window-form-values.ts';

type Values = { formValues: WindowFormValues; errors?: FieldErrors };

type WindowPageProps = {
  title: string;
  /** The label of the button that saves. */
  word: string;
  loaded: Values & { sources: readonly NamedSource[] };
  /** What was typed and why it was refused; undefined before that. */
  answer: Values | undefined;
  /** The latest alerts that the window has muted; null for a new window. */
  muted?: readonly Alert[];
};

/** The page of a maintenance window's form. */
export function WindowPage({ title, word, loaded, answer, muted }: WindowPageProps) {
  const { formValues, errors } = answer ?? loaded;
  const mayEdit = useMayNotify() || loaded.formValues.covers !== 'team';
  return (
    <>
      <PageHeader title={title} parent={{ to: '/maintenance', text: 'Maintenance' }} />
      {mayEdit ? (
        <WindowForm formValues={formValues} errors={errors} sources={loaded.sources} word={word} />
      ) : (
        <p>This window mutes the whole team. Only an admin can change it.</p>
      )}
      {muted ? <Muted alerts={muted} /> : null}
    </>
  );
}

function Muted({ alerts }: { alerts: readonly Alert[] }) {
  const columns = alertColumnsFor(true);
  return (
    <section aria-label="What it muted" style={{ marginTop: 32 }}>
      <h2>What it muted</h2>
      {alerts.length === 0 ? (
        <p className="muted">Nothing so far.</p>
      ) : (
        <DataTable
          caption="Alerts that this window muted"
          columns={columns}
          rows={alerts}
          keyOf={({ id }) => id}
        />
      )}
    </section>
  );
}

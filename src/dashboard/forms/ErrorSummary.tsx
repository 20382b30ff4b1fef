import type { FieldErrors } from '../services.ts';
import { Notice } from '../parts/Notice.tsx';
import { goToField, wrongId } from './wrong-fields.ts';

/** What people know a field by, where that is not its name in plain letters. */
const labels: Readonly<Record<string, string>> = {
  url: 'URL',
  callback_url: 'Callback URL',
  test_url: 'Test URL',
  queue: 'Queue name',
  dead_letter_days: 'Dead letter retention',
  starts_at: 'Start',
  ends_at: 'End',
  is_weekly: 'Repeat every week',
  covers: 'What it mutes',
  sources: 'What it mutes',
};

function labelOf(field: string): string {
  const [name = field] = field.split('.');
  const plain = name.replaceAll('_', ' ');
  return labels[name] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** At the buttons of a long form, whose wrong fields may be far up: which they are, each a link to it. */
export function ErrorSummary({ errors }: { errors: FieldErrors | undefined }) {
  const wrong = Object.keys(errors ?? {}).filter((field) => (errors?.[field]?.length ?? 0) > 0);
  if (wrong.length === 0) return null;
  return (
    <Notice
      kind="failed"
      title={
        wrong.length === 1
          ? 'Not done: one field needs a change.'
          : `Not done: ${wrong.length} fields need a change.`
      }
    >
      <ul className="row">
        {wrong.map((field) => (
          <li key={field}>
            <a
              href={`#${wrongId(field)}`}
              onClick={(event) => {
                event.preventDefault();
                goToField(document.getElementById(wrongId(field)));
              }}
            >
              {labelOf(field)}
            </a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

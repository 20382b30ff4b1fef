import type { FieldErrors } from '../services.ts';
import { Notice } from '../parts/Notice.tsx';
import { goToField, wrongId } from './wrong-fields.ts';

/** The labels of fields whose name in plain letters is not what people know them by. */
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

/** Lists the wrong fields beside the buttons of a long form, each with a link to the field, which may be far above. */
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

import { Link, useLocation } from 'react-router';

/** The download links of a list. They reload the document: the response is a file, which the router must leave to the browser. */
export function Exports({ to }: { to: string }) {
  const params = new URLSearchParams(useLocation().search);
  for (const name of ['after', 'before']) params.delete(name);
  const addressOf = (format: string) => {
    params.set('format', format);
    return `${to}?${params}`;
  };
  return (
    <p style={{ marginTop: 12 }}>
      Download what is listed as{' '}
      <Link to={addressOf('csv')} reloadDocument download>
        CSV
      </Link>{' '}
      or{' '}
      <Link to={addressOf('jsonl')} reloadDocument download>
        JSON lines
      </Link>
      .
    </p>
  );
}

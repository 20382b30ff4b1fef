import type { Assertion } from '#domain/assertion';

/** What a queue or cron asserts, one line each. */
export function AssertionList({ assertions }: { assertions: readonly Assertion[] }) {
  return (
    <ul>
      {assertions.map((assertion, at) => (
        <li key={at}>{describe(assertion)}</li>
      ))}
    </ul>
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

/** Success assertions as stored with a queue or a cron (§2.4). All must hold; the first failure is reported. */
export type Assertion =
  | { kind: 'json_path_equals'; path: string; expected: string }
  | { kind: 'body_contains'; text: string }
  | { kind: 'response_time_under'; ms: number };

export type AssertionKind = Assertion['kind'];

/** What people choose from, in this order. */
export const ASSERTION_LABELS: Readonly<Record<AssertionKind, string>> = {
  json_path_equals: 'JSON path equals',
  body_contains: 'Body contains',
  response_time_under: 'Response time under (ms)',
};

export const ASSERTION_KINDS = Object.keys(ASSERTION_LABELS) as readonly AssertionKind[];

/** How many of them a queue or cron may have. */
export const MAX_ASSERTIONS = 20;

/** Success assertions as stored with a queue or a cron (§2.4). All must hold; the first failure is reported. */
export type Assertion =
  | { kind: 'json_path_equals'; path: string; expected: string }
  | { kind: 'body_contains'; text: string }
  | { kind: 'response_time_under'; ms: number };

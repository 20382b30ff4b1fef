import type { Message } from '#alerts/channels/message';

/** A message whose texts look like the markup of every channel at once. */
export const SAMPLE_MESSAGE: Message = {
  level: 'failure',
  teamId: '019a0000-0000-7000-8000-00000000000a',
  teamName: 'R&D <ops>',
  title:
    'Failure: cron “*Pay* <!channel> @everyone [x](http://evil.example)” failed 2 times in a row',
  facts: [
    { label: 'Status', value: 'HTTP 503' },
    { label: 'Reason', value: '_http_ server <error> & `more`' },
    { label: 'Failed in a row', value: '2' },
    { label: 'When', value: '2026-11-21 12:00:00 UTC' },
    { label: 'Team', value: 'R&D <ops>' },
  ],
  excerpt: '{"error": "<b>no</b> & ```never```"}\n**second** line',
  link: {
    label: 'Open the run',
    url: 'https://belfry.example/executions/019a0000-0000-7000-8000-000000000001',
  },
  runbook: { label: 'Open the runbook', url: 'https://wiki.example/pay?part=1&of=2#now' },
  details: {
    notificationId: '019a0000-0000-7000-8000-00000000000b',
    kind: null,
    alertCount: 1,
    subjects: [
      {
        kind: 'cron',
        id: '019a0000-0000-7000-8000-00000000000c',
        name: '*Pay* <!channel> @everyone [x](http://evil.example)',
      },
    ],
    runId: '019a0000-0000-7000-8000-000000000001',
    raisedAt: Date.parse('2026-11-21T12:00:00Z'),
    attemptNumber: null,
    responseStatus: 503,
    reason: 'http_server_error',
    errorMessage: null,
    failedRuns: 2,
    downMs: null,
    note: null,
  },
  parts: [],
};

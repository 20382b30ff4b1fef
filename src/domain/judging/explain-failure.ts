import { countOf } from '../base/amounts.ts';
import { cut } from '../base/text-length.ts';
import { CONNECTION_FAULTS, faultOfMessage, NOT_OPENED_STEP } from '../http/connection-faults.ts';
import type { Timing } from '../http/exchange.ts';
import type { FailureReason } from './failure.ts';
import { UNREADABLE_TEXTS } from './judge.ts';

/** Of a host or URL. */
const MOST_CHARACTERS = 300;

export type ExplainedKind = 'job' | 'execution' | 'test';

const AGAIN: Record<ExplainedKind, string> = {
  job: 'Retry',
  execution: 'Choose Run now',
  test: 'Try it again',
};

export interface FailureFacts {
  kind: ExplainedKind;
  reason: FailureReason | null;
  responseStatus: number | null;
  /** As stored (§2.7); null for a cron's plain HTTP error. */
  errorMessage: string | null;
  url: string;
  location: string | null;
  timeoutSeconds: number | null;
  /** Null if the database refused the response. */
  timing: Timing | null;
}

export interface Explanation {
  title: string;
  text: string;
  nextStep: string;
  /** The target of a redirect, offered as "use this URL". */
  useUrl: string | null;
}

/** If reason and status are unknown, it shows the stored message. */
export function explainFailure(facts: FailureFacts): Explanation {
  switch (facts.reason) {
    case 'timeout':
      return explainTimeout(facts);
    case 'limit_exceeded':
      return explain(
        'The monthly limit is reached',
        'The team had used all requests of its plan for this month, so nothing was sent.',
        'Sending goes on with the next calendar month (UTC) or with a larger plan; the owner sees both under Billing.',
      );
    case 'worker_failed':
      if (isUnreadable(facts.errorMessage)) return explainUnreadable(facts.errorMessage);
      return explain(
        'The service stopped while the request was running',
        'It is unknown whether the target received the request or finished its work, so it was not sent again.',
        `Check the target. ${AGAIN[facts.kind]} if doing it twice does no harm.`,
      );
    case 'cannot_resolve_host':
      return explainUnresolvable(facts);
    case 'blocked_address':
      return explain(
        'The address is not allowed',
        `${hostOf(facts.url)} resolves to a private or reserved address. Such addresses are never called, so nothing was sent.`,
        'Use a host that is publicly reachable. For a service inside a private network, the operator can allow it with ALLOWED_NETWORKS.',
      );
    case 'assertion_failed':
      return explain(
        'A success assertion failed',
        `The target answered ${facts.responseStatus ?? 'with success'}, but ${afterColon(facts.errorMessage)}.`,
        'Compare the response with the assertion. Correct whichever of them is wrong.',
      );
    case 'connection_error':
      return explainConnection(facts);
    case 'http_client_error':
    case 'http_server_error':
    case null:
      return explainStatus(facts);
  }
}

function isUnreadable(message: string | null): message is string {
  return Object.values<string | null>(UNREADABLE_TEXTS).includes(message);
}

function explainUnreadable(message: string): Explanation {
  return explain(
    'Something stored of the request can’t be read',
    `${message} Nothing was sent, and the run does not count against the month.`,
    'Enter it again (the headers of a cron or a job, the assertions, or the signing secret) and save it. If many runs fail like this, the operator must start every process with the APP_KEY of the database.',
  );
}

function explain(
  title: string,
  text: string,
  nextStep: string,
  useUrl: string | null = null,
): Explanation {
  return { title, text, nextStep, useUrl };
}

const TIMED_OUT = 'The request timed out';
const TLS_STEP =
  'Make sure that the server at this port uses TLS, and check its logs for this time.';

function explainTimeout({
  timeoutSeconds,
  url,
  timing,
  responseStatus,
}: FailureFacts): Explanation {
  const host = hostOf(url);
  const within =
    timeoutSeconds === null ? 'in time' : `within ${countOf(timeoutSeconds, 'second')}`;
  switch (timing && stageOf(timing)) {
    case 'resolving':
      return explain(
        TIMED_OUT,
        `The name servers did not answer for ${host} ${within}, so nothing was sent.`,
        'If other hosts time out too, the operator should check the name servers of this installation.',
      );
    case 'connecting':
      return explain(
        TIMED_OUT,
        `No connection to ${host} was open ${within}, so nothing was sent.`,
        NOT_OPENED_STEP,
      );
    case 'securing':
      return explain(
        TIMED_OUT,
        `${host} was reached, but there was no TLS connection ${within}, so nothing was sent.`,
        TLS_STEP,
      );
    case 'waiting':
      return explainSlow(`${host} was reached, but did not answer ${within}.`);
    case 'receiving':
      return explainSlow(
        `${host} began to answer (${responseStatus}), but not completely ${within}.`,
      );
    case null:
      return explainSlow(`${host} did not answer completely ${within}.`);
  }
}

function explainSlow(observed: string): Explanation {
  return explain(
    TIMED_OUT,
    `${observed} The target may still have finished its work.`,
    'Let the target answer at once and do long work afterwards, or raise the timeout (300 seconds at most).',
  );
}

/** Of an attempt that did not end by itself. */
function stageOf({ connectMs, tlsMs, waitingMs, receivingMs }: Timing) {
  if (receivingMs !== null) return 'receiving';
  if (waitingMs !== null) return 'waiting';
  if (tlsMs !== null) return 'securing';
  return connectMs === null ? 'resolving' : 'connecting';
}

function explainUnresolvable({ url }: FailureFacts): Explanation {
  const host = hostOf(url);
  if (host.startsWith('[')) {
    return explain(
      'IPv6 addresses cannot be called',
      `${host} is an IPv6 address. Requests go out over IPv4 only.`,
      'Use a host name with a public IPv4 address (an A record).',
    );
  }
  return explain(
    'The host was not found',
    `${host} has no public IPv4 address: the name does not exist, its name servers did not answer, or it has IPv6 addresses only.`,
    `Check the spelling. If it resolves elsewhere, see that it has an A record, for example with "dig A ${host}".`,
  );
}

function explainConnection({ errorMessage, url, timing }: FailureFacts): Explanation {
  const code = faultOfMessage(errorMessage);
  if (code === 'reset' && timing && stageOf(timing) === 'securing') {
    return explain(
      'The TLS handshake was cut off',
      `${hostOf(url)}: The connection was closed during the TLS handshake, so nothing was sent.`,
      TLS_STEP,
    );
  }
  const means = code === null ? undefined : CONNECTION_FAULTS[code].means;
  if (means !== undefined) {
    const [title, text, step] = means;
    return explain(title, `${hostOf(url)}: ${text}`, step);
  }
  return explain(
    'The connection failed',
    `No complete answer came from ${hostOf(url)}: ${afterColon(errorMessage)}.`,
    'Try the same request from another machine, and look into the logs of the target.',
  );
}

function explainStatus(facts: FailureFacts): Explanation {
  const status = facts.responseStatus;
  if (status === null) {
    return explain(
      'The run failed',
      facts.errorMessage || 'No reason was recorded.',
      `Check the target's logs. ${AGAIN[facts.kind]} once the cause is fixed.`,
    );
  }
  if (status >= 300 && status <= 399) return explainRedirect(facts, status);
  if (status >= 400 && status <= 499) {
    return explain(
      `The target answered ${status}${nameOf(status)}`,
      CLIENT_ERRORS[status] ?? 'The target received the request and refused it.',
      stepOf(status, facts.kind),
    );
  }
  if (status >= 500 && status <= 599) {
    return explain(
      `The target answered ${status}${nameOf(status)}`,
      SERVER_ERRORS[status] ?? 'The target received the request and failed while handling it.',
      `Check the target's logs for this time. ${AGAIN[facts.kind]} once it is fixed.`,
    );
  }
  return explain(
    `The target answered ${status}`,
    'This is no status that HTTP defines, so it counts as a failure.',
    'Let the target answer with a status from 200 to 299 on success.',
  );
}

function explainRedirect({ location, url }: FailureFacts, status: number): Explanation {
  if (status === 304) {
    return explain(
      'The target answered 304 Not Modified',
      'It answers so if the headers of the request have a condition. Only a 2xx counts as success.',
      'Remove headers such as If-None-Match and If-Modified-Since from the request.',
    );
  }
  const target = location === null ? null : resolveRedirect(location, url);
  if (target === null) {
    return explain(
      `The target answered ${status}, a redirect`,
      'Redirects are never followed, and this one has no target URL.',
      'Use the URL that answers the request itself.',
    );
  }
  return explain(
    `The target redirects to ${cut(target, MOST_CHARACTERS)}`,
    `It answered ${status}. Redirects are never followed, because the request could end up anywhere.`,
    'If this is where the request belongs, use this URL.',
    target,
  );
}

/** Null if it isn't an http(s) URL. */
export function resolveRedirect(location: string, base: string): string | null {
  if (!URL.canParse(location, base)) return null;
  const target = new URL(location, base);
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return null;
  target.username = '';
  target.password = '';
  return target.href;
}

const NAMES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

function nameOf(status: number): string {
  const name = NAMES[status];
  return name === undefined ? '' : ` ${name}`;
}

const CLIENT_ERRORS: Record<number, string> = {
  401: 'The target requires credentials, or rejects those that were sent.',
  403: 'The target understood the request and does not allow it.',
  404: 'The target has nothing at this path.',
  405: 'The target does not take this method at this path.',
  410: 'The resource at this path was removed for good.',
  413: 'The target does not take a body of this size.',
  415: 'The target does not take this kind of body.',
  422: 'The target read the body and found something wrong with it.',
  429: 'The target gets more requests than it wants.',
};

const CLIENT_STEPS: Record<number, string> = {
  401: 'Check the Authorization header (or whichever the target expects) and the signing secret.',
  403: 'Check the credentials in the headers; a firewall in front of the target may also have refused it.',
  404: 'Check the path of the URL.',
  405: 'Choose another method.',
  415: 'Set the Content-Type header that the target expects.',
};

function stepOf(status: number, kind: ExplainedKind): string {
  if (status === 429) {
    return kind === 'execution'
      ? 'Run the cron less often, or at another time.'
      : 'Give the queue a rate or a lower concurrency limit, or spread the jobs over time.';
  }
  return CLIENT_STEPS[status] ?? 'Read the response, correct the request and send it again.';
}

const SERVER_ERRORS: Record<number, string> = {
  502: 'A proxy in front of the target got no usable answer from it.',
  503: 'The target, or a proxy in front of it, is overloaded or down for maintenance.',
  504: 'A proxy in front of the target waited too long for it.',
};

function hostOf(url: string): string {
  return URL.canParse(url) ? cut(new URL(url).host, MOST_CHARACTERS) : 'The target';
}

/** Of a stored message such as `Connection error: …`. */
export function afterColon(message: string | null): string {
  if (message === null) return 'no reason was recorded';
  const at = message.indexOf(': ');
  return at < 0 ? message : message.slice(at + 2);
}

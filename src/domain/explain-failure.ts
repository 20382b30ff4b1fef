import type { FailureReason } from './failure.ts';
import { UNREADABLE_TEXTS } from './judge.ts';

/** A failed run as far as its failure goes. */
export interface FailureFacts {
  reason: FailureReason | null;
  responseStatus: number | null;
  /** The text that was stored with it (§2.7); null for a cron's plain HTTP error. */
  errorMessage: string | null;
  /** The request's URL as it was sent. */
  url: string;
  /** The `Location` of the response, if it had one. */
  location: string | null;
  timeoutSeconds: number | null;
  /** The IPv4 address that was dialled. */
  address: string | null;
}

/** A failure in plain words, and the next step. `useUrl` is a redirect's target, absolute. */
export interface Explanation {
  title: string;
  text: string;
  nextStep: string;
  useUrl: string | null;
}

/**
 * Says what a failed run means and what to do about it, for somebody who was just woken. Decided on reason,
 * status and the fixed texts of outgoing/faults.ts; what none of them knows is said as it was stored. Never throws.
 */
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
        'It is not known whether the target received the request or finished its work, so it was not sent again.',
        'Look at the target for what it did. Retry if doing it twice does no harm.',
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
        'Compare the response below with the assertion. Correct whichever of them is wrong.',
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
    'Enter it anew (the headers of a cron or a job, the assertions, or the signing secret) and save it. If many runs fail so, the operator has to see that every process has the APP_KEY that the database was made with.',
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

function explainTimeout({ timeoutSeconds, url, address }: FailureFacts): Explanation {
  const within = timeoutSeconds === null ? 'in time' : `within ${plural(timeoutSeconds, 'second')}`;
  const reached =
    address === null
      ? `No connection to ${hostOf(url)} was open ${within}.`
      : `${hostOf(url)} was reached, but did not answer completely ${within}.`;
  return explain(
    'The request timed out',
    `${reached} The target may still have finished its work.`,
    'Let the target answer at once and do long work afterwards, or raise the timeout (300 seconds at most).',
  );
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

/** By the beginning of the fault's text: what it means, and what to do. */
const CONNECTION: readonly (readonly [start: string, title: string, text: string, step: string])[] =
  [
    [
      'connection refused',
      'The connection was refused',
      'The machine answers, but nothing listens at this port.',
      'See that the target runs and that the port in the URL is right.',
    ],
    [
      'connection reset',
      'The connection was reset',
      'The target, or something in front of it such as a proxy, cut the connection.',
      'Look into the logs of the target and its proxy at this time; a crash or a limit there is the usual cause.',
    ],
    [
      'connection timed out',
      'The connection could not be opened',
      'Nothing answered at this address. A firewall that drops packets looks just so.',
      'See that the target runs and that its firewall lets requests from outside in.',
    ],
    [
      'connection closed before a response',
      'The connection was closed without a response',
      'The target took the request and closed the connection.',
      'Look into the logs of the target: it has often crashed or restarted at this moment.',
    ],
    [
      'response ended early',
      'The response ended early',
      'The target began to answer and broke off.',
      'Look into the logs of the target; it has often crashed or hit a limit while it was writing.',
    ],
    [
      'host unreachable',
      'The host cannot be reached',
      'No route leads to this address.',
      'See that the address is right and the machine is up.',
    ],
    [
      'network unreachable',
      'The network cannot be reached',
      'No route leads to this address.',
      'See that the address is right; if every target fails so, the service itself is cut off.',
    ],
    [
      'TLS certificate has expired',
      'The certificate has expired',
      'The TLS certificate of the target is no longer valid.',
      'Renew the certificate on the target, then retry.',
    ],
    [
      'TLS certificate is for another host',
      'The certificate is for another host',
      'The TLS certificate of the target does not name the host in the URL.',
      'Use the name that the certificate has, or have one issued for this name.',
    ],
    [
      'TLS certificate',
      'The certificate cannot be trusted',
      'The TLS certificate of the target is not signed by an authority that is commonly trusted, or is broken.',
      'Install a certificate of a public authority with its whole chain on the target.',
    ],
    [
      'TLS 1.2 or newer',
      'The target’s TLS is too old',
      'The target speaks only versions of TLS that are no longer safe.',
      'Switch on TLS 1.2 or newer on the target.',
    ],
    [
      'the other side does not speak TLS',
      'The target does not speak TLS',
      'The URL begins with https, but what answers at this port is no TLS.',
      'Use http:// or the port of the TLS service.',
    ],
    [
      'TLS handshake failed',
      'No secure connection was made',
      'The target and the service found no common way to speak TLS.',
      'See that the target takes TLS 1.2 or newer with usual ciphers.',
    ],
    [
      'response headers are too large',
      'The response headers are too large',
      'The target sent more headers than are read.',
      'Let the target send fewer or shorter headers; cookies are the usual cause.',
    ],
    [
      'the query string is too long',
      'The query is too long',
      'The payload makes a query string that no target takes, so nothing was sent.',
      'Use POST for a payload of this size.',
    ],
    [
      'the request cannot be written as HTTP',
      'The request cannot be sent',
      'Something in the URL or the headers cannot be written as HTTP.',
      'Look for odd characters in the URL and the headers.',
    ],
    [
      'response is not valid HTTP',
      'The answer is not HTTP',
      'What answers at this address and port does not speak HTTP.',
      'Check the port in the URL.',
    ],
  ];

function explainConnection({ errorMessage, url }: FailureFacts): Explanation {
  const what = afterColon(errorMessage);
  const known = CONNECTION.find(([start]) => what.startsWith(start));
  if (known === undefined) {
    return explain(
      'The connection failed',
      `No complete answer came from ${hostOf(url)}: ${what}.`,
      'Try the same request from another machine, and look into the logs of the target.',
    );
  }
  const [, title, text, step] = known;
  return explain(title, `${hostOf(url)}: ${text}`, step);
}

function explainStatus(facts: FailureFacts): Explanation {
  const status = facts.responseStatus;
  if (status === null) {
    return explain(
      'The run failed',
      facts.errorMessage || 'No reason was recorded.',
      'Retry it, and look into the logs of the target.',
    );
  }
  if (status >= 300 && status <= 399) return explainRedirect(facts, status);
  if (status >= 400 && status <= 499) {
    return explain(
      `The target answered ${status}${nameOf(status)}`,
      CLIENT_ERRORS[status] ?? 'The target received the request and refused it.',
      CLIENT_STEPS[status] ?? 'Read the response below; correct the request and send it again.',
    );
  }
  if (status >= 500 && status <= 599) {
    return explain(
      `The target answered ${status}${nameOf(status)}`,
      SERVER_ERRORS[status] ?? 'The target received the request and failed while handling it.',
      'Look into the logs of the target at this time. Retry once it is mended.',
    );
  }
  return explain(
    `The target answered ${status}`,
    'This is no status that HTTP defines, so it counts as a failure.',
    'Let the target answer with a status from 200 to 299 on success.',
  );
}

function explainRedirect({ location, url }: FailureFacts, status: number): Explanation {
  const target = location === null ? null : resolve(location, url);
  if (target === null) {
    return explain(
      `The target answered ${status}, a redirect`,
      'Redirects are never followed, and this one does not say where to.',
      'Use the URL that answers the request itself.',
    );
  }
  return explain(
    `The target redirects to ${cut(target)}`,
    `It answered ${status}. Redirects are never followed, because the request could end up anywhere.`,
    'If this is where the request belongs, use this URL.',
    target,
  );
}

/** A redirect's target, absolute; null where it is no http(s) URL. */
function resolve(location: string, base: string): string | null {
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
  401: 'The target asks for credentials, or does not take those that were sent.',
  403: 'The target knows the request and does not allow it.',
  404: 'The target has nothing at this path.',
  405: 'The target does not take this method at this path.',
  410: 'What was at this path has been removed for good.',
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
  429: 'Set or lower the queue’s concurrency limit, or spread the jobs over time.',
};

const SERVER_ERRORS: Record<number, string> = {
  502: 'A proxy in front of the target got no usable answer from it.',
  503: 'The target, or a proxy in front of it, is overloaded or down for maintenance.',
  504: 'A proxy in front of the target waited too long for it.',
};

function hostOf(url: string): string {
  return URL.canParse(url) ? cut(new URL(url).host) : 'The target';
}

function afterColon(message: string | null): string {
  if (message === null) return 'no reason was recorded';
  const at = message.indexOf(': ');
  return at < 0 ? message : message.slice(at + 2);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function cut(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 299)}…`;
}

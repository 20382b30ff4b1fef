import { HTTP_METHODS } from './exchange.ts';
import { isFramingHeader } from './header-syntax.ts';
import { readJsonField } from '../json/text.ts';
import type { Pasted, PastedRequest } from './paste.ts';

export const fault = (text: string) => ({ kind: 'error', text }) as const;

const nothingGathered = () => ({
  method: null as string | null,
  urls: [] as string[],
  headers: [] as [name: string, value: string][],
  data: [] as string[],
  isJson: false,
  inQuery: false,
  user: null as string | null,
  password: null as string | null,
  timeoutSeconds: null as number | null,
  notes: [] as string[],
  error: null as string | null,
});

type Gathered = ReturnType<typeof nothingGathered>;

type Take = (gathered: Gathered, value: string) => unknown;

const FROM_FILE = 'It reads from a file (@…), which is not here. Put the content into the command.';
const NO_MULTIPART = 'It sends a form with files (multipart). Payloads here are JSON.';

const set =
  (property: 'method' | 'user' | 'password'): Take =>
  (gathered, value) => {
    gathered[property] = value;
  };

const addHeader: Take = (gathered, value) => {
  if (value.startsWith('@')) gathered.error = FROM_FILE;
  const colon = value.indexOf(':');
  if (colon < 0) {
    // curl's notation for a header without a value.
    if (value.trim().endsWith(';')) gathered.headers.push([value.trim().slice(0, -1), '']);
    return;
  }
  const content = value.slice(colon + 1).trim();
  if (content !== '') gathered.headers.push([value.slice(0, colon).trim(), content]);
};

const addData: Take = (gathered, value) => {
  if (value.startsWith('@')) gathered.error = FROM_FILE;
  gathered.data.push(value);
};

const addEncoded: Take = (gathered, value) => {
  if (/^[^=]*@/.test(value)) gathered.error = FROM_FILE;
  const equals = value.indexOf('=');
  const name = equals > 0 ? `${value.slice(0, equals)}=` : '';
  const content = encodeURIComponent(value.slice(equals + 1).toWellFormed());
  gathered.data.push(`${name}${content}`);
};

const refuse =
  (text: string): Take =>
  (gathered) => {
    gathered.error = text;
  };

const ignore: Take = () => {};

const setTimeoutSeconds: Take = (gathered, value) => {
  const seconds = Math.ceil(Number(value));
  if (seconds >= 1) gathered.timeoutSeconds = Math.min(300, seconds);
};

const addUrl: Take = (gathered, value) => gathered.urls.push(value);

const addRawData: Take = (gathered, value) => gathered.data.push(value);

const addNamed =
  (name: string, scheme = ''): Take =>
  (gathered, value) =>
    gathered.headers.push([name, `${scheme}${value}`]);

/** By their spellings. Ignored options are listed so that their value isn't read as a URL. */
const WITH_VALUE = {
  curl: bySpelling({
    '-X --request': set('method'),
    '-H --header': addHeader,
    '-d --data --data-ascii --data-binary': addData,
    '--data-raw': addRawData,
    '--data-urlencode': addEncoded,
    '--json': (gathered, value) => {
      gathered.isJson = true;
      addData(gathered, value);
    },
    '-u --user': set('user'),
    '-A --user-agent': addNamed('User-Agent'),
    '-b --cookie': addNamed('Cookie'),
    '-e --referer': addNamed('Referer'),
    '--oauth2-bearer': addNamed('Authorization', 'Bearer '),
    '--url': addUrl,
    '-m --max-time': setTimeoutSeconds,
    '-F --form --form-string': refuse(NO_MULTIPART),
    '-T --upload-file': refuse(FROM_FILE),
    '-K --config': refuse('It reads its options from a file.'),
    '-o --output -c --cookie-jar -w --write-out --connect-timeout --retry --retry-delay --retry-max-time -x --proxy --cacert -E --cert --key --resolve --connect-to --interface -D --dump-header -r --range -z --time-cond --limit-rate --max-redirs --ciphers --tls-max --proxy-user -U --trace --trace-ascii --stderr -y -Y -C --continue-at --dns-servers --unix-socket --keepalive-time --aws-sigv4':
      ignore,
  }),
  wget: bySpelling({
    '--method': set('method'),
    '--header': addHeader,
    '--post-data': (gathered, value) => {
      gathered.method ??= 'POST';
      gathered.data.push(value);
    },
    '--body-data': addRawData,
    '--user --http-user': set('user'),
    '--password --http-password': set('password'),
    '-U --user-agent': addNamed('User-Agent'),
    '--referer': addNamed('Referer'),
    '-T --timeout --read-timeout': setTimeoutSeconds,
    '--post-file --body-file -i --input-file': refuse(FROM_FILE),
    '-O --output-document -o --output-file -a --append-output -t --tries -P --directory-prefix -w --wait --waitretry --connect-timeout --dns-timeout --limit-rate --bind-address --ca-certificate --certificate --private-key -e --execute --load-cookies --save-cookies':
      ignore,
  }),
};

const FLAGS = bySpelling({
  '-G --get': (gathered) => {
    gathered.inQuery = true;
  },
  '-I --head --spider': (gathered) => {
    gathered.notes.push('It requests only the head of the response; here the request is a GET.');
    gathered.method ??= 'GET';
  },
  '-L --location': ({ notes }) =>
    notes.push('It follows redirects; here they are never followed. Use the last URL.'),
  '-k --insecure --no-check-certificate': ({ notes }) =>
    notes.push('It does not verify the certificate; here that is always done.'),
});

function bySpelling(options: Record<string, Take>): ReadonlyMap<string, Take> {
  const each = Object.entries(options);
  return new Map(each.flatMap(([names, take]) => names.split(' ').map((name) => [name, take])));
}

export function readCommand(
  tool: 'curl' | 'wget',
  words: readonly string[],
): Pasted<PastedRequest> {
  const gathered = nothingGathered();
  for (let at = 0; at < words.length && gathered.error === null;) {
    at += takeWord(gathered, WITH_VALUE[tool], words[at] ?? '', words[at + 1]);
  }
  return gathered.error === null ? draftOf(gathered, tool) : fault(gathered.error);
}

/** @returns how many words it takes */
function takeWord(
  gathered: Gathered,
  options: ReadonlyMap<string, Take>,
  word: string,
  next = '',
): number {
  if (!word.startsWith('-') || word === '-') {
    gathered.urls.push(word);
    return 1;
  }
  for (const { name, value } of optionsIn(word)) {
    const take = options.get(name);
    if (take !== undefined) {
      take(gathered, value ?? next);
      return value === null ? 2 : 1;
    }
    FLAGS.get(name)?.(gathered, '');
  }
  return 1;
}

/** `--data=x`. Short options may be joined, with the value of the last one: `-sSXPOST`. */
function optionsIn(word: string): { name: string; value: string | null }[] {
  if (word.startsWith('--')) {
    const [name = '', value = null] = word.split(/=(.*)/s);
    return [{ name, value }];
  }
  const letters = word.slice(1).split('');
  return letters.map((letter, at) => ({ name: `-${letter}`, value: word.slice(at + 2) || null }));
}

function draftOf(gathered: Gathered, tool: 'curl' | 'wget'): Pasted<PastedRequest> {
  const { notes, urls, timeoutSeconds } = gathered;
  const [given] = urls;
  if (given === undefined) return fault(`The ${tool} command has no URL.`);
  if (urls.length > 1) notes.push('It has several URLs; the first was taken.');
  const asked = (gathered.method ?? defaultMethod(gathered)).toUpperCase();
  const method = HTTP_METHODS.find((known) => known === asked);
  if (method === undefined) {
    return fault(
      `The method ${asked.slice(0, 20)} can’t be sent. It must be one of ${HTTP_METHODS.join(', ')}.`,
    );
  }
  const { url, credentials } = readUrl(given);
  const text = gathered.isJson ? gathered.data.join('') : gathered.data.join('&');
  const hasData = gathered.data.length > 0;
  const body = hasData && !gathered.inQuery ? text : null;
  const headers = headersOf(gathered, credentials);
  const { payload, isForm } = payloadOf(body, headers);
  if (isForm) notes.push('It sends form data; payloads here are JSON, so it became a JSON object.');
  if (body !== null && method === 'GET') notes.push('With GET the payload goes into the query.');
  return {
    kind: 'draft',
    draft: {
      method,
      url: hasData && gathered.inQuery ? withQuery(url, text) : url,
      headers: isForm ? headers.filter(([name]) => name.toLowerCase() !== 'content-type') : headers,
      payload,
      timeoutSeconds,
    },
    notes: [...new Set(notes)],
  };
}

function defaultMethod({ data, inQuery }: Gathered): string {
  return data.length > 0 && !inQuery ? 'POST' : 'GET';
}

/** Without a scheme it is http, as for curl. User info moves to a header (§2.9). */
function readUrl(given: string): { url: string; credentials: string | null } {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  const parts = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#@]*)@(.*)$/is.exec(url);
  if (!parts) return { url, credentials: null };
  const [, scheme = '', userInfo = '', rest = ''] = parts;
  return { url: `${scheme}${rest}`, credentials: decode(userInfo) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function headersOf(gathered: Gathered, credentials: string | null): [string, string][] {
  const headers = gathered.headers.filter(([name]) => !isFramingHeader(name));
  const dropped = gathered.headers.map(([name]) => name).filter(isFramingHeader);
  if (dropped.length > 0) {
    const names = dropped.join(', ').slice(0, 200);
    gathered.notes.push(`Left out, because they frame the connection: ${names}.`);
  }
  const user = gathered.user === null ? credentials : withPassword(gathered);
  const isAuthorized = headers.some(([name]) => name.toLowerCase() === 'authorization');
  if (user !== null && !isAuthorized) {
    const encoded = Buffer.from(user, 'utf8').toString('base64');
    headers.unshift(['Authorization', `Basic ${encoded}`]);
  }
  return headers;
}

function withPassword({ user, password }: Gathered): string {
  if (user === null) return '';
  return password === null && user.includes(':') ? user : `${user}:${password ?? ''}`;
}

function withQuery(url: string, query: string): string {
  const [address = '', ...fragment] = url.split('#');
  const joint = address.includes('?') ? '&' : '?';
  return [`${address}${joint}${query}`, ...fragment].join('#');
}

/** Form data becomes an object, unless the command declares another type. */
function payloadOf(
  body: string | null,
  headers: readonly (readonly [string, string])[],
): { payload: string; isForm: boolean } {
  if (body === null) return { payload: '', isForm: false };
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const mayBeForm = type === undefined || /form-urlencoded/i.test(type);
  if (readJsonField(body) !== null || !mayBeForm || !/^[^\s={}[\]"]+=/.test(body)) {
    return { payload: body, isForm: false };
  }
  const members = new Map(new URLSearchParams(body));
  const json = [...members].map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return { payload: `{${json.join(', ')}}`, isForm: true };
}

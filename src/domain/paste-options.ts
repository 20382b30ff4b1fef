import { HTTP_METHODS } from './exchange.ts';
import { isFramingHeader } from './header-syntax.ts';
import type { Pasted, PastedRequest } from './paste.ts';

interface Gathered {
  method: string | null;
  urls: string[];
  headers: [name: string, value: string][];
  data: string[];
  isJson: boolean;
  inQuery: boolean;
  user: string | null;
  password: string | null;
  timeoutSeconds: number | null;
  notes: string[];
  error: string | null;
}

type Take = (gathered: Gathered, value: string) => void;

const FROM_FILE = 'It reads from a file (@…), which is not here. Put the content into the command.';
const NO_MULTIPART = 'It sends a form with files (multipart). Payloads here are JSON.';

const setMethod: Take = (gathered, value) => {
  gathered.method = value;
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

const setUser: Take = (gathered, value) => {
  gathered.user = value;
};

/** Ignored options are listed so that their value isn't read as a URL. */
const WITH_VALUE: Record<'curl' | 'wget', Record<string, Take>> = {
  curl: {
    '-X': setMethod,
    '--request': setMethod,
    '-H': addHeader,
    '--header': addHeader,
    '-d': addData,
    '--data': addData,
    '--data-ascii': addData,
    '--data-binary': addData,
    '--data-raw': (gathered, value) => gathered.data.push(value),
    '--data-urlencode': addEncoded,
    '--json': (gathered, value) => {
      gathered.isJson = true;
      addData(gathered, value);
    },
    '-u': setUser,
    '--user': setUser,
    '-A': (gathered, value) => gathered.headers.push(['User-Agent', value]),
    '--user-agent': (gathered, value) => gathered.headers.push(['User-Agent', value]),
    '-b': (gathered, value) => gathered.headers.push(['Cookie', value]),
    '--cookie': (gathered, value) => gathered.headers.push(['Cookie', value]),
    '-e': (gathered, value) => gathered.headers.push(['Referer', value]),
    '--referer': (gathered, value) => gathered.headers.push(['Referer', value]),
    '--oauth2-bearer': (gathered, value) =>
      gathered.headers.push(['Authorization', `Bearer ${value}`]),
    '--url': (gathered, value) => gathered.urls.push(value),
    '-m': setTimeoutSeconds,
    '--max-time': setTimeoutSeconds,
    '-F': refuse(NO_MULTIPART),
    '--form': refuse(NO_MULTIPART),
    '--form-string': refuse(NO_MULTIPART),
    '-T': refuse(FROM_FILE),
    '--upload-file': refuse(FROM_FILE),
    '-K': refuse('It reads its options from a file.'),
    '--config': refuse('It reads its options from a file.'),
    ...Object.fromEntries(
      '-o --output -c --cookie-jar -w --write-out --connect-timeout --retry --retry-delay --retry-max-time -x --proxy --cacert -E --cert --key --resolve --connect-to --interface -D --dump-header -r --range -z --time-cond --limit-rate --max-redirs --ciphers --tls-max --proxy-user -U --trace --trace-ascii --stderr -y -Y -C --continue-at --dns-servers --unix-socket --keepalive-time --aws-sigv4'
        .split(' ')
        .map((name) => [name, ignore]),
    ),
  },
  wget: {
    '--method': setMethod,
    '--header': addHeader,
    '--post-data': (gathered, value) => {
      gathered.method ??= 'POST';
      gathered.data.push(value);
    },
    '--body-data': (gathered, value) => gathered.data.push(value),
    '--user': setUser,
    '--http-user': setUser,
    '--password': (gathered, value) => {
      gathered.password = value;
    },
    '--http-password': (gathered, value) => {
      gathered.password = value;
    },
    '-U': (gathered, value) => gathered.headers.push(['User-Agent', value]),
    '--user-agent': (gathered, value) => gathered.headers.push(['User-Agent', value]),
    '--referer': (gathered, value) => gathered.headers.push(['Referer', value]),
    '-T': setTimeoutSeconds,
    '--timeout': setTimeoutSeconds,
    '--read-timeout': setTimeoutSeconds,
    '--post-file': refuse(FROM_FILE),
    '--body-file': refuse(FROM_FILE),
    '-i': refuse(FROM_FILE),
    '--input-file': refuse(FROM_FILE),
    ...Object.fromEntries(
      '-O --output-document -o --output-file -a --append-output -t --tries -P --directory-prefix -w --wait --waitretry --connect-timeout --dns-timeout --limit-rate --bind-address --ca-certificate --certificate --private-key -e --execute --load-cookies --save-cookies'
        .split(' ')
        .map((name) => [name, ignore]),
    ),
  },
};

const FLAGS: Record<string, (gathered: Gathered) => void> = {
  '-G': (gathered) => {
    gathered.inQuery = true;
  },
  '--get': (gathered) => {
    gathered.inQuery = true;
  },
  '-I': refuseHead,
  '--head': refuseHead,
  '--spider': refuseHead,
  '-L': noteRedirects,
  '--location': noteRedirects,
  '-k': noteVerification,
  '--insecure': noteVerification,
  '--no-check-certificate': noteVerification,
};

function refuseHead(gathered: Gathered): void {
  gathered.notes.push('It requests only the head of the response; here the request is a GET.');
  gathered.method ??= 'GET';
}

function noteRedirects({ notes }: Gathered): void {
  notes.push('It follows redirects; here they are never followed. Use the last URL.');
}

function noteVerification({ notes }: Gathered): void {
  notes.push('It does not verify the certificate; here that is always done.');
}

export function readCommand(
  tool: 'curl' | 'wget',
  words: readonly string[],
): Pasted<PastedRequest> {
  const gathered: Gathered = {
    method: null,
    urls: [],
    headers: [],
    data: [],
    isJson: false,
    inQuery: false,
    user: null,
    password: null,
    timeoutSeconds: null,
    notes: [],
    error: null,
  };
  for (let at = 0; at < words.length && gathered.error === null;) {
    at += takeWord(gathered, tool, words[at] ?? '', words[at + 1]);
  }
  if (gathered.error !== null) return { kind: 'error', text: gathered.error };
  return draftOf(gathered, tool);
}

function takeWord(
  gathered: Gathered,
  tool: 'curl' | 'wget',
  word: string,
  next: string | undefined,
): number {
  if (!word.startsWith('-') || word === '-') {
    gathered.urls.push(word);
    return 1;
  }
  const options = WITH_VALUE[tool];
  if (word.startsWith('--')) return takeLong(gathered, options, word, next);
  return takeShort(gathered, options, word, next);
}

function takeLong(
  gathered: Gathered,
  options: Record<string, Take>,
  word: string,
  next: string | undefined,
): number {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  const take = own(options, name);
  if (take === undefined) {
    own(FLAGS, name)?.(gathered);
    return 1;
  }
  take(gathered, equals < 0 ? (next ?? '') : word.slice(equals + 1));
  return equals < 0 ? 2 : 1;
}

/** Short options may be joined, with the value of the last one: `-sSXPOST`. */
function takeShort(
  gathered: Gathered,
  options: Record<string, Take>,
  word: string,
  next: string | undefined,
): number {
  for (let at = 1; at < word.length; at++) {
    const name = `-${word.charAt(at)}`;
    const take = own(options, name);
    if (take !== undefined) {
      const rest = word.slice(at + 1);
      take(gathered, rest === '' ? (next ?? '') : rest);
      return rest === '' ? 2 : 1;
    }
    own(FLAGS, name)?.(gathered);
  }
  return 1;
}

function own<T>(table: Record<string, T>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function draftOf(gathered: Gathered, tool: 'curl' | 'wget'): Pasted<PastedRequest> {
  const { notes, urls, timeoutSeconds } = gathered;
  const [given] = urls;
  if (given === undefined) return { kind: 'error', text: `The ${tool} command has no URL.` };
  if (urls.length > 1) notes.push('It has several URLs; the first was taken.');
  const asked = (gathered.method ?? defaultMethod(gathered)).toUpperCase();
  const method = HTTP_METHODS.find((known) => known === asked);
  if (method === undefined) {
    const text = `The method ${asked.slice(0, 20)} can’t be sent. It must be one of ${HTTP_METHODS.join(', ')}.`;
    return { kind: 'error', text };
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
      body,
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
  const headers: [string, string][] = [];
  const dropped: string[] = [];
  for (const [name, value] of gathered.headers) {
    if (isFramingHeader(name)) dropped.push(name);
    else headers.push([name, value]);
  }
  if (dropped.length > 0) {
    gathered.notes.push(
      `Left out, because they frame the connection: ${dropped.join(', ').slice(0, 200)}.`,
    );
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
  if (password !== null) return `${user}:${password}`;
  return user.includes(':') ? user : `${user}:`;
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
  if (isJson(body) || !mayBeForm || !/^[^\s={}[\]"]+=/.test(body)) {
    return { payload: body, isForm: false };
  }
  const members = new Map(new URLSearchParams(body));
  const json = [...members].map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return { payload: `{${json.join(', ')}}`, isForm: true };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

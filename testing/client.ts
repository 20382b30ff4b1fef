import { once } from 'node:events';
import http from 'node:http';

export interface Call {
  method?: string;
  headers?: http.OutgoingHttpHeaders;
  /** Names and values in turn, in place of `headers`; they are sent as they are written. */
  rawHeaders?: readonly string[];
  body?: string | Buffer;
  localAddress?: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Names in the case and order in which they came. */
  headerNames: string[];
  /** Whole `Set-Cookie` values. */
  setCookies: string[];
  text: string;
  json: Record<string, unknown>;
}

/** Sends one request on a connection of its own, with no header that was not asked for. Follows no redirects. */
export async function callHttp(address: string, call: Call = {}): Promise<Answer> {
  const { method = 'POST', headers = {}, rawHeaders, body, localAddress } = call;
  const request = http.request(address, {
    method,
    headers: rawHeaders ?? headers,
    agent: false,
    ...(localAddress !== undefined && { localAddress }),
  });
  request.on('error', () => {});
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const text = await readBody(response);
  const pairs = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(pairs),
    setCookies: response.headers['set-cookie'] ?? [],
    headerNames: response.rawHeaders.filter((_, index) => index % 2 === 0),
    text,
    json: readJson(text),
  };
}

/** A server may reset the connection behind a refusal: a body without a length ends with the connection. */
async function readBody(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
  } catch (error) {
    const { headers } = response;
    if ('content-length' in headers || 'transfer-encoding' in headers) throw error;
  }
  return Buffer.concat(chunks).toString();
}

/** POSTs JSON with a token, as a well-behaved client does. A text is sent as it is. */
export function postJson(
  address: string,
  token: string,
  body: unknown,
  { headers }: { headers?: http.OutgoingHttpHeaders } = {},
): Promise<Answer> {
  return callHttp(address, {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
      ...headers,
    },
  });
}

function readJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export class CookieJar extends Map<string, string> {
  get headers(): { cookie?: string } {
    const pairs = [...this].map(([name, value]) => `${name}=${value}`);
    return pairs.length > 0 ? { cookie: pairs.join('; ') } : {};
  }

  /** Stores and deletes cookies as the `Set-Cookie` values of an answer say. */
  take(setCookies: readonly string[]): void {
    for (const text of setCookies) {
      const [pair = '', ...attributes] = text.split(';');
      const at = pair.indexOf('=');
      const isGone = attributes.some((each) =>
        /^\s*max-age=0$|expires=\w+, 0?1.Jan.1970/i.test(each),
      );
      if (isGone) this.delete(pair.slice(0, at));
      else this.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}

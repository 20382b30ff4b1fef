/**
 * The requests of a browser without scripts: it keeps cookies, follows redirects, and sends the page's address with
 * forms.
 */
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';

export interface ReaderAnswer {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

interface Sending {
  method?: 'GET' | 'POST';
  body?: URLSearchParams;
  /** The page that the request comes from. */
  from?: string;
}

const MOST_REDIRECTS = 10;

interface Asking {
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Uses a new connection: a kept one may just be closing after a long step of the test. */
async function ask(url: string, { method, headers, body }: Asking): Promise<ReaderAnswer> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' };
  const request = http.request(url, { method, headers: { ...headers, ...type }, agent: false });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const pairs = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const status = response.statusCode ?? 0;
  return { url, status, headers: new Headers(pairs), text: await text(response) };
}

export class Conversation {
  readonly cookies = new Map<string, string>();
  readonly #headers: Record<string, string>;

  /** @param headers  sent with each request */
  constructor(headers: Record<string, string>) {
    this.#headers = headers;
  }

  async send(address: string, sending: Sending = {}): Promise<ReaderAnswer> {
    let [url, { method = 'GET', body }] = [address, sending];
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const headers = this.#headersOf(method, url, sending.from);
      const answer = await ask(url, { method, headers, body: body?.toString() });
      for (const cookie of answer.headers.getSetCookie()) this.#keep(cookie);
      const location = answer.headers.get('Location');
      if (answer.status < 300 || answer.status > 399 || location === null) return answer;
      url = new URL(location, url).href;
      if (answer.status !== 307 && answer.status !== 308) [method, body] = ['GET', undefined];
    }
    throw new Error(`${address} redirects without end`);
  }

  #headersOf(method: string, url: string, from?: string): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const isOwn = from !== undefined && new URL(from).origin === new URL(url).origin;
    return {
      Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'Accept-Language': 'en-US',
      'Sec-Fetch-Dest': 'document',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Site': from === undefined ? 'none' : isOwn ? 'same-origin' : 'cross-site',
      ...(from !== undefined && method === 'POST' && { Origin: new URL(from).origin }),
      ...(cookie && { Cookie: cookie }),
      ...this.#headers,
    };
  }

  #keep(text: string): void {
    const [pair = '', ...attributes] = text.split(';');
    const at = pair.indexOf('=');
    const isOver = attributes.some((each) =>
      /^\s*max-age=0$|expires=\w+, 0?1.Jan.1970/i.test(each),
    );
    if (isOver) this.cookies.delete(pair.slice(0, at));
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

import type { BrowserContext } from 'playwright-core';
import { type Answer, callHttp, CookieJar } from './client.ts';

let lastAddress = 0;

/** A browser without scripts: keeps cookies and sends forms as browsers do; follows no redirects. */
export class Visitor {
  readonly cookies = new CookieJar();
  /** What `X-Forwarded-For` says, so that limits by address count each visitor for itself. */
  clientAddress: string;
  readonly #listening: string;
  readonly #origin: string;
  /** The team of the pages seen last; their forms carry it. */
  #team: string | null = null;

  /** @param origin  the public address, where the forms come from */
  constructor(listening: string, origin = listening) {
    this.#listening = listening;
    this.#origin = origin;
    lastAddress++;
    this.clientAddress = `198.51.${Math.floor(lastAddress / 250)}.${(lastAddress % 250) + 1}`;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { headers });
  }

  /** The text of a page. */
  async read(path: string): Promise<string> {
    return asText((await this.get(path)).text);
  }

  /** Sends a form; `headers` can say that it comes from somewhere else. */
  async post(
    path: string,
    form: Record<string, string> | [name: string, value: string][],
    headers: Record<string, string> = { Origin: this.#origin },
  ): Promise<Answer> {
    // A form of a team is sent only after its page was seen.
    if (this.#team === null && this.cookies.size > 0 && !path.startsWith('/log'))
      await this.get('/');
    const body = new URLSearchParams(form);
    if (this.#team !== null && !body.has('for_team')) body.set('for_team', this.#team);
    if (path === '/teams/switch') this.#team = null;
    return this.#send(path, { method: 'POST', body, headers });
  }

  /** Copies the visitor's cookies into a real browser. */
  async lendTo(context: BrowserContext): Promise<void> {
    await context.addCookies(
      [...this.cookies].map(([name, value]) => ({ name, value, url: this.#listening })),
    );
  }

  async #send(
    path: string,
    {
      body,
      headers,
      ...call
    }: { method?: string; body?: URLSearchParams; headers: Record<string, string> },
  ): Promise<Answer> {
    const answer = await callHttp(`${this.#listening}${path}`, {
      method: 'GET',
      ...call,
      ...(body && { body: String(body) }),
      headers: {
        Accept: '*/*',
        'X-Forwarded-For': this.clientAddress,
        ...(body && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...this.cookies.headers,
        ...headers,
      },
    });
    this.cookies.take(answer.setCookies);
    this.#team = /name="for_team" value="([^"]+)"/.exec(answer.text)?.[1] ?? this.#team;
    return answer;
  }
}

/** Of a page only its main part. */
export function asText(html: string): string {
  const main = html.includes('<main')
    ? html.slice(html.indexOf('<main'), html.lastIndexOf('</main>'))
    : html;
  return main
    .replaceAll(/<(script|style|noscript)[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#x27;', '’')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');
}

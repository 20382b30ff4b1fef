import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Configuration } from 'oidc-provider';
import { type Answer, callHttp, CookieJar } from './client.ts';
import type { Visitor } from './visitor.ts';

export interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: unknown;
}

/** A real OpenID provider on loopback. It signs in whoever `person` is, without a question. */
export interface TestProvider extends AsyncDisposable {
  issuer: string;
  /** Settings of a Belfry that knows it. */
  env: Record<string, string>;
  person: Person;
  /** Other claims in its ID tokens, with `repeatsClaims`. */
  inToken: Person | null;
  forge: ((idToken: string) => string) | null;
  /** The path that a gateway in front of it answers with 502. */
  broken: string | null;
  /** What it was asked for by the browser, in order: the queries of its authorization endpoint. */
  asked: URLSearchParams[];
  goAway(): Promise<void>;
  /** Registers where it sends people back to. */
  expect(baseUrl: string): void;
  /** Goes there as a browser would, through all its redirects. @returns the address that it ends at: Belfry's */
  visit(url: string): Promise<string>;
  /** Signs in whoever `person` is. @returns Belfry's last answer */
  signIn(visitor: Visitor, query?: string): Promise<Answer>;
}

const CLIENT = { client_id: 'belfry', client_secret: 'a-secret-between-the-two' };

/**
 * @param options  `hasUserInfo: false`: the ID token has all claims; `repeatsClaims`: the user info repeats
 * those of the ID token
 */
export async function startProvider({
  hasUserInfo = true,
  repeatsClaims = false,
} = {}): Promise<TestProvider> {
  const server = http.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirectUris = new Set<string>();
  const self: TestProvider = {
    issuer,
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.client_id,
      OIDC_CLIENT_SECRET: CLIENT.client_secret,
      OIDC_NAME: 'Bell House',
    },
    person: { sub: 'nobody' },
    inToken: null,
    forge: null,
    broken: null,
    asked: [],
    goAway: async () => {
      server.close();
      server.closeAllConnections();
    },
    expect: (baseUrl) => void redirectUris.add(`${baseUrl}/login/provider/back`),
    visit: (url) => follow(url, issuer),
    signIn: async (visitor, query = '') => {
      const { headers } = await visitor.get(`/login/provider${query}`);
      const { pathname, search } = new URL(await self.visit(headers.get('Location') ?? ''));
      return visitor.get(pathname + search);
    },
    [Symbol.asyncDispose]: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
    },
  };
  const provider = new Provider(issuer, configure(self, { hasUserInfo, repeatsClaims }));
  // It is known only later on which port Belfry listens.
  const client = provider.Client.prototype as { redirectUriAllowed(uri: string): boolean };
  client.redirectUriAllowed = (uri) => redirectUris.has(uri);
  // It says on the console that tests are no place for it.
  provider.on('server_error', (_ctx, error) => process.stderr.write(`provider: ${error.stack}\n`));
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === self.broken) {
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad Gateway</h1>');
      return;
    }
    if (url.pathname === '/auth') self.asked.push(url.searchParams);
    const { forge } = self;
    if (url.pathname === '/token' && forge) {
      rewrite(response, ({ id_token, ...more }) => ({
        ...more,
        id_token: forge(String(id_token)),
      }));
    }
    if (url.pathname === '/.well-known/openid-configuration') {
      // So that no client rejects a token by its algorithm alone.
      const algorithms = ['RS256', 'HS256', 'none'];
      rewrite(response, (all) => ({ ...all, id_token_signing_alg_values_supported: algorithms }));
    }
    if (!url.pathname.startsWith('/interaction/')) return void answer(request, response);
    const login = { accountId: self.person.sub };
    void provider.interactionFinished(request, response, { login, consent: {} });
  });
  return self;
}

/** Changes the JSON that is about to be answered. */
function rewrite(
  response: http.ServerResponse,
  change: (answer: Record<string, unknown>) => object,
): void {
  const end = response.end.bind(response);
  response.end = ((text: string) => {
    const changed = JSON.stringify(change(JSON.parse(text) as Record<string, unknown>));
    response.setHeader('Content-Length', Buffer.byteLength(changed));
    return end(changed);
  }) as typeof response.end;
}

function configure(
  self: TestProvider,
  { hasUserInfo, repeatsClaims }: { hasUserInfo: boolean; repeatsClaims: boolean },
): Configuration {
  const said = (use: string) => (use === 'id_token' && self.inToken) || self.person;
  return {
    clients: [
      {
        ...CLIENT,
        redirect_uris: ['https://belfry.example/'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: ['only for tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: { devInteractions: { enabled: false }, userinfo: { enabled: hasUserInfo } },
    conformIdTokenClaims: hasUserInfo && !repeatsClaims,
    pkce: { required: () => true },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: (use) => ({ ...said(use), sub: id }) }),
    loadExistingGrant: async (ctx) => {
      const { client, session, provider } = ctx.oidc;
      const grant = new provider.Grant({
        ...(client && { clientId: client.clientId }),
        ...(session?.accountId && { accountId: session.accountId }),
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
}

const MOST_REDIRECTS = 10;

async function follow(url: string, issuer: string): Promise<string> {
  // Nobody whom the provider would remember.
  const cookies = new CookieJar();
  let next = url;
  for (let hop = 0; hop < MOST_REDIRECTS && next.startsWith(issuer); hop++) {
    const answer = await callHttp(next, { method: 'GET', headers: cookies.headers });
    cookies.take(answer.setCookies);
    const location = answer.headers.get('location');
    if (location === null)
      throw new Error(`${answer.status} ${/<pre>.*/.exec(answer.text)?.[0] ?? next}`);
    next = new URL(location, next).href;
  }
  return next;
}

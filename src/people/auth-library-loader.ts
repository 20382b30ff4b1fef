import type { AuthLibrary, AuthLibraryDeps } from './auth-library.ts';
import { type CookieKind, headersFor, type RequestContext } from './request-context.ts';

type AuthLibraryAnswer<T> =
  | { kind: 'answered'; response: T; setCookies: string[] }
  /** The library refused; `code` is its own name for the reason. */
  | { kind: 'declined'; code: string };

type Called<T> = Promise<{ headers: Headers; response: T }>;

/** The auth library, loaded when it is first needed, with its exceptions turned into values. */
export class AuthLibraryLoader {
  readonly #deps: AuthLibraryDeps;
  #authLibrary: Promise<{ authLibrary: AuthLibrary; addressHeader: string }> | null = null;

  constructor(deps: AuthLibraryDeps) {
    this.#deps = deps;
  }

  /** Calls the library for a request, showing it only the kinds of cookies that this call is about. */
  async ask<T>(
    request: RequestContext,
    kinds: readonly CookieKind[],
    call: (api: AuthLibrary['api'], headers: Headers) => Called<T>,
  ): Promise<AuthLibraryAnswer<T>> {
    const { authLibrary, addressHeader } = await this.load();
    try {
      const { headers, response } = await call(
        authLibrary.api,
        headersFor(request, kinds, addressHeader),
      );
      return { kind: 'answered', response, setCookies: headers.getSetCookie() };
    } catch (error) {
      const code = codeOf(error);
      if (code === null) throw error;
      return { kind: 'declined', code };
    }
  }

  /** Loads the library now. Loading takes a quarter of a second, which the first request then need not wait for. */
  load(): Promise<{ authLibrary: AuthLibrary; addressHeader: string }> {
    this.#authLibrary ??= import('./auth-library.ts').then(
      ({ createAuthLibrary, ADDRESS_HEADER }) => ({
        authLibrary: createAuthLibrary(this.#deps),
        addressHeader: ADDRESS_HEADER,
      }),
    );
    return this.#authLibrary;
  }
}

/** The library throws refusals as `APIError`s of a 4xx status; anything else is a fault. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'APIError') return null;
  const { statusCode = 500, body } = error as { statusCode?: number; body?: { code?: unknown } };
  if (statusCode >= 500) return null;
  return typeof body?.code === 'string' ? body.code : `HTTP_${statusCode}`;
}

import type { Library, LibraryDeps } from './library.ts';
import { type CookieKind, headersFor, type RequestContext } from './request-context.ts';

type LibraryAnswer<T> =
  | { kind: 'answered'; response: T; setCookies: string[] }
  /** The library said no; `code` is its own word for why. */
  | { kind: 'declined'; code: string };

type Called<T> = Promise<{ headers: Headers; response: T }>;

/** The accounts library, loaded when it is first needed, with its exceptions turned into values. */
export class LibraryLoader {
  readonly #deps: LibraryDeps;
  #library: Promise<{ library: Library; addressHeader: string }> | null = null;

  constructor(deps: LibraryDeps) {
    this.#deps = deps;
  }

  /** Calls the library for a request, showing it only the kinds of cookies that this call is about. */
  async ask<T>(
    request: RequestContext,
    kinds: readonly CookieKind[],
    call: (api: Library['api'], headers: Headers) => Called<T>,
  ): Promise<LibraryAnswer<T>> {
    const { library, addressHeader } = await this.load();
    try {
      const { headers, response } = await call(
        library.api,
        headersFor(request, kinds, addressHeader),
      );
      return { kind: 'answered', response, setCookies: headers.getSetCookie() };
    } catch (error) {
      const code = codeOf(error);
      if (code === null) throw error;
      return { kind: 'declined', code };
    }
  }

  /** Loads it now: a quarter of a second that the first request need not wait for. */
  load(): Promise<{ library: Library; addressHeader: string }> {
    this.#library ??= import('./library.ts').then(({ createLibrary, ADDRESS_HEADER }) => ({
      library: createLibrary(this.#deps),
      addressHeader: ADDRESS_HEADER,
    }));
    return this.#library;
  }
}

/** The library throws refusals as `APIError`s of a 4xx status; anything else is a fault. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'APIError') return null;
  const { statusCode = 500, body } = error as { statusCode?: number; body?: { code?: unknown } };
  if (statusCode >= 500) return null;
  return typeof body?.code === 'string' ? body.code : `HTTP_${statusCode}`;
}

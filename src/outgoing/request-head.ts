import type { FaultCode } from '#domain/http/connection-faults';
import type { HeaderList, OutgoingRequest } from '#domain/http/exchange';
import { isFramingHeader, isHeaderName, isHeaderValue } from '#domain/http/header-syntax';
import type { Target } from './target.ts';

/** `host` is empty if the URL defines it. */
interface Lines {
  host: string;
  others: string;
}

/** Latin-1, with the headers of `frameHeaders`. */
export class HeadWriter {
  readonly #neverSent: ReadonlySet<string>;
  /** Runs of a queue or cron share a list of headers. */
  readonly #lines = new WeakMap<HeaderList, Lines | FaultCode>();

  /** @param neverSent names in lower case: no request is sent with them */
  constructor(neverSent: readonly string[]) {
    this.#neverSent = new Set(neverSent);
  }

  write({ method, headers, body }: OutgoingRequest, target: Target): string | { fault: FaultCode } {
    let lines = this.#lines.get(headers);
    if (lines === undefined) this.#lines.set(headers, (lines = this.#writeLines(headers)));
    if (typeof lines === 'string') return { fault: lines };
    const host = lines.host === '' ? `host: ${target.site.host}\r\n` : lines.host;
    const length = body === null ? '' : `content-length: ${body.length}\r\n`;
    const start = `${method} ${target.path} HTTP/1.1\r\n${host}connection: keep-alive\r\n`;
    return `${start}${lines.others}${length}\r\n`;
  }

  #writeLines(headers: HeaderList): Lines | FaultCode {
    const lines: Lines = { host: '', others: '' };
    let fault: FaultCode | null = null;
    for (const [name, value] of headers) {
      const lower = name.toLowerCase();
      if (this.#neverSent.has(lower)) return 'header-of-sign-in';
      if (isFramingHeader(name) || !isHeaderName(name) || !isHeaderValue(value))
        fault ??= 'request-not-http';
      if (lower !== 'host') lines.others += `${name}: ${value}\r\n`;
      else if (lines.host === '') lines.host = `${name}: ${value}\r\n`;
    }
    return fault ?? lines;
  }
}

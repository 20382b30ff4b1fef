import type { FaultCode } from '#domain/connection-faults';
import type { OutgoingRequest } from '#domain/exchange';
import { isFramingHeader, isHeaderName, isHeaderValue } from '#domain/header-syntax';
import { frameHeaders } from '#domain/request';
import type { Target } from './target.ts';

/**
 * The head of a request as Latin-1, or why it may not be sent.
 *
 * @param neverSent  names of headers, in lower case, with which nothing is sent
 */
export function writeHead(
  request: OutgoingRequest,
  { site, path }: Target,
  neverSent: ReadonlySet<string>,
): string | { fault: FaultCode } {
  for (const [name] of request.headers) {
    if (neverSent.has(name.toLowerCase())) return { fault: 'header-of-sign-in' };
    if (isFramingHeader(name)) return { fault: 'request-not-http' };
  }
  let head = `${request.method} ${path} HTTP/1.1\r\n`;
  for (const [name, value] of frameHeaders(request, site.host)) {
    if (!isHeaderName(name) || !isHeaderValue(value)) return { fault: 'request-not-http' };
    head += `${name}: ${value}\r\n`;
  }
  return `${head}\r\n`;
}

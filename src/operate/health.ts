import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { INSTALLATION_HEADER } from '#api/service-pages';
import type { Config } from '#config/config';

const LIMIT_MS = 5_000;
export const HEALTHY = '{"status":"ok"}';

export type Health =
  /** `installation` is null during the start. */
  { kind: 'lives'; installation: string | null } | { kind: 'silent'; why: string };

/** For health checks of containers, whose image has no other HTTP client. Unlike fetch, it may call any port. */
export async function askHealth({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Health> {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const request = http.get({ host: everywhere[host] ?? host, port, path: '/healthz', signal });
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
    const body = await text(answer);
    if (answer.statusCode !== 200) {
      return { kind: 'silent', why: `it answered ${answer.statusCode}` };
    }
    if (body !== HEALTHY) return { kind: 'silent', why: 'what answers is not Belfry' };
    const installation = answer.headers[INSTALLATION_HEADER.toLowerCase()];
    return { kind: 'lives', installation: typeof installation === 'string' ? installation : null };
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException;
    const why = signal.aborted ? (signal.reason as Error).message : (code ?? message);
    return { kind: 'silent', why };
  }
}

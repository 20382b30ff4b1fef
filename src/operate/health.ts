import { INSTALLATION_HEADER } from '#api/service-pages';
import type { Config } from '#config/config';

const LIMIT_MS = 5_000;
export const HEALTHY = '{"status":"ok"}';

export type Health =
  /** `installation` is null during the start. */
  { kind: 'lives'; installation: string | null } | { kind: 'silent'; why: string };

/** For health checks of containers, whose image has no other HTTP client. */
export async function askHealth({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Health> {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const name = everywhere[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const answer = await fetch(`http://${name}:${port}/healthz`, { signal });
    if (!answer.ok) return { kind: 'silent', why: `it answered ${answer.status}` };
    const isOurs = (await answer.text()) === HEALTHY;
    if (!isOurs) return { kind: 'silent', why: 'what answers is not Belfry' };
    return { kind: 'lives', installation: answer.headers.get(INSTALLATION_HEADER) };
  } catch (fault) {
    const { cause, message } = fault as Error;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    return { kind: 'silent', why: code ?? message };
  }
}

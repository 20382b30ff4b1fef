import type { CommandServices } from '#cli/services';
import type { Config } from './config.ts';

const LIMIT_MS = 5_000;
export const HEALTHY = '{"status":"ok"}';

/**
 * Asks the service on this machine whether it is alive. It serves containers' health checks, whose image has no other
 * HTTP client.
 */
export async function askHealth({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): ReturnType<CommandServices['askHealth']> {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const name = everywhere[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const answer = await fetch(`http://${name}:${port}/healthz`, { signal });
    if (!answer.ok) return { kind: 'silent', why: `it answered ${answer.status}` };
    const isOurs = (await answer.text()) === HEALTHY;
    return isOurs ? { kind: 'lives' } : { kind: 'silent', why: 'what answers is not Belfry' };
  } catch (fault) {
    const { cause, message } = fault as Error;
    const code = (cause as NodeJS.ErrnoException | undefined)?.code;
    return { kind: 'silent', why: code ?? message };
  }
}

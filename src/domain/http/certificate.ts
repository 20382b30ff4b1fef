/** §6.4 */
import { DAY_MS } from '../base/instant.ts';

/** Of a target, as a new TLS connection shows it. */
export interface ServerCertificate {
  /** With the port, unless it is 443. */
  host: string;
  startsAt: number;
  endsAt: number;
}

/** With the outcome of the run that opened the connection. */
export interface SeenCertificate {
  host: string;
  endsAt: number;
  endsSoon: boolean;
}

export const CERTIFICATE_DAYS = 21;

/** Certificates for some days are renewed late, so `CERTIFICATE_DAYS` would warn of each. */
const LAST_PART = 1 / 3;

export function seeCertificate(
  { host, startsAt, endsAt }: ServerCertificate,
  now: number,
): SeenCertificate {
  const soonMs = Math.min(CERTIFICATE_DAYS * DAY_MS, (endsAt - startsAt) * LAST_PART);
  return { host, endsAt, endsSoon: endsAt - now <= soonMs };
}

export function describeCertificate({ host, endsAt }: Pick<SeenCertificate, 'host' | 'endsAt'>) {
  const until = new Date(endsAt).toISOString().slice(0, 16).replace('T', ' ');
  return `The certificate of ${host} ends at ${until} UTC.`;
}

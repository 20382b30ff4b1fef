// The certificate library finds its parts through this polyfill, which must come first.
import 'reflect-metadata';
import { createPrivateKey } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type Extension,
  type JsonGeneralName,
} from '@peculiar/x509';
import { makeFolder } from './guard.ts';

/** A certificate with its key, both PEM, as a TLS server takes them. */
export interface Credentials {
  cert: string;
  key: string;
}

interface CertificateRequest {
  /** Host names and addresses it is good for. Default: `localhost`, `127.0.0.1`, `::1`. */
  hosts?: readonly string[];
  /** Default: yesterday. */
  notBefore?: Date;
  /** Default: in a year. */
  notAfter?: Date;
}

export interface TestAuthority {
  /** Its certificate, PEM, for `ca` options. */
  cert: string;
  /** The same in a file that lasts as long as this process, for NODE_EXTRA_CA_CERTS. */
  certFile: string;
  issue(request?: CertificateRequest): Promise<Credentials>;
}

const DAY_MS = 86_400_000;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '::1'];
const OF_AUTHORITY = [
  new BasicConstraintsExtension(true, undefined, true),
  new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
];
const KEYS = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export async function createAuthority(name = 'Belfry test authority'): Promise<TestAuthority> {
  const { certificate, keys } = await certify({ subject: `CN=${name}`, extensions: OF_AUTHORITY });
  const cert = certificate.toString('pem');
  const certFile = path.join(makeFolder(), 'ca.pem');
  fs.writeFileSync(certFile, cert);
  const issuer = { name: certificate.subject, key: keys.privateKey };
  return { cert, certFile, issue: (request = {}) => makeCredentials(request, issuer) };
}

export function createSelfSigned(request: CertificateRequest = {}): Promise<Credentials> {
  return makeCredentials(request);
}

export function expired(request: CertificateRequest = {}): CertificateRequest {
  const now = Date.now();
  return {
    ...request,
    notBefore: new Date(now - 30 * DAY_MS),
    notAfter: new Date(now - DAY_MS),
  };
}

interface Issuer {
  name: string;
  key: CryptoKey;
}

interface Certified extends CertificateRequest {
  subject: string;
  extensions: Extension[];
  /** Default: the certificate itself. */
  issuer?: Issuer | undefined;
}

async function certify({ subject, extensions, issuer, notBefore, notAfter }: Certified) {
  const keys = await crypto.subtle.generateKey(KEYS, true, ['sign', 'verify']);
  // With the first bit set, the number would be negative.
  const serialNumber = `01${Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')}`;
  const certificate = await X509CertificateGenerator.create({
    notBefore: notBefore ?? new Date(Date.now() - DAY_MS),
    notAfter: notAfter ?? new Date(Date.now() + 365 * DAY_MS),
    serialNumber,
    subject,
    issuer: issuer?.name ?? subject,
    publicKey: keys.publicKey,
    signingKey: issuer?.key ?? keys.privateKey,
    signingAlgorithm: KEYS,
    extensions,
  });
  return { certificate, keys };
}

async function makeCredentials(request: CertificateRequest, issuer?: Issuer): Promise<Credentials> {
  const { hosts = LOCAL_HOSTS } = request;
  const isAddress = (host: string) => host.includes(':') || /^[\d.]+$/.test(host);
  const names = hosts.map((host): JsonGeneralName => {
    return { type: isAddress(host) ? 'ip' : 'dns', value: host };
  });
  const extensions = [new SubjectAlternativeNameExtension(names)];
  const subject = `CN=${hosts[0] ?? 'localhost'}`;
  const { certificate, keys } = await certify({ ...request, subject, extensions, issuer });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  const pem = key.export({ format: 'pem', type: 'pkcs8' });
  return { cert: certificate.toString('pem'), key: pem };
}

// The certificate library finds its parts through this polyfill, which must come first.
import 'reflect-metadata';
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
  type X509Certificate,
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

/** A certificate authority that exists for one test. */
export interface TestAuthority {
  /** Its certificate, PEM, for `ca` options. */
  cert: string;
  /** The same in a file that lasts as long as this process, for NODE_EXTRA_CA_CERTS. */
  certFile: string;
  issue(request?: CertificateRequest): Promise<Credentials>;
}

const DAY_MS = 86_400_000;
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '::1'];
const KEYS = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export async function createAuthority(name = 'Belfry test authority'): Promise<TestAuthority> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity({}),
    ...serial(),
    name: `CN=${name}`,
    keys,
    signingAlgorithm: KEYS,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const certFile = path.join(makeFolder(), 'ca.pem');
  fs.writeFileSync(certFile, certificate.toString('pem'));
  return {
    cert: certificate.toString('pem'),
    certFile,
    issue: (request = {}) => issue(request, certificate, keys.privateKey),
  };
}

/** A self-signed certificate. */
export async function createSelfSigned(request: CertificateRequest = {}): Promise<Credentials> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...validity(request),
    ...serial(),
    name: `CN=${request.hosts?.[0] ?? 'localhost'}`,
    keys,
    signingAlgorithm: KEYS,
    extensions: [nameHosts(request)],
  });
  return credentialsOf(certificate, keys.privateKey);
}

/** A request for a certificate that expired yesterday. */
export function expired(request: CertificateRequest = {}): CertificateRequest {
  const now = Date.now();
  return {
    ...request,
    notBefore: new Date(now - 30 * DAY_MS),
    notAfter: new Date(now - DAY_MS),
  };
}

async function issue(
  request: CertificateRequest,
  authority: X509Certificate,
  signingKey: CryptoKey,
): Promise<Credentials> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.create({
    ...validity(request),
    ...serial(),
    subject: `CN=${request.hosts?.[0] ?? 'localhost'}`,
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: KEYS,
    extensions: [nameHosts(request)],
  });
  return credentialsOf(certificate, keys.privateKey);
}

async function generateKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(KEYS, true, ['sign', 'verify']);
}

function validity({ notBefore, notAfter }: CertificateRequest) {
  const now = Date.now();
  return {
    notBefore: notBefore ?? new Date(now - DAY_MS),
    notAfter: notAfter ?? new Date(now + 365 * DAY_MS),
  };
}

function serial() {
  // With the first bit set, the number would be negative.
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return { serialNumber: `01${Buffer.from(bytes).toString('hex')}` };
}

function nameHosts({ hosts = LOCAL_HOSTS }: CertificateRequest): Extension {
  const isAddress = (host: string) => host.includes(':') || /^[\d.]+$/.test(host);
  return new SubjectAlternativeNameExtension(
    hosts.map((host): JsonGeneralName => ({ type: isAddress(host) ? 'ip' : 'dns', value: host })),
  );
}

async function credentialsOf(
  certificate: X509Certificate,
  privateKey: CryptoKey,
): Promise<Credentials> {
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey));
  const lines = pkcs8.toString('base64').match(/.{1,64}/g) ?? [];
  const key = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
  return { cert: certificate.toString('pem'), key };
}

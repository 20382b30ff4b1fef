import { CONNECTION_FAULTS, type FaultCode } from '#domain/http/connection-faults';
import type { AddressRange } from '#domain/http/address-range';
import type { Clock } from '../src/domain/base/clock.ts';
import type {
  BodyNeeds,
  Exchange,
  HeaderList,
  HttpMethod,
  OutgoingRequest,
} from '../src/domain/http/exchange.ts';
import { realClock } from '#app/real-clock';
import { createSender, type ClosableSender } from '../src/outgoing/exchange.ts';

const LOOPBACK = [{ base: '127.0.0.0', prefix: 8 }];

interface TestSenderOptions {
  clock?: Clock;
  allowedNetworks?: readonly AddressRange[];
  dnsServers?: readonly string[];
  trusted?: readonly string[];
  /** Default: no file at all, so that no test depends on the machine. */
  hostsPath?: string;
  /** Default: none, so that no test depends on the machine. */
  ownAddresses?: () => readonly string[];
}

interface TestSender extends ClosableSender, AsyncDisposable {
  /** Sends a request with what is given and nothing else: GET, no headers, no body, 30 s, no needs. */
  get(url: string, extra?: Extra): Promise<Exchange>;
}

interface Extra {
  method?: HttpMethod;
  headers?: HeaderList;
  body?: string | Uint8Array;
  timeoutSeconds?: number;
  needs?: Partial<BodyNeeds>;
}

/** A sender that may reach loopback. By default it queries no DNS server. */
export function openSender(options: TestSenderOptions = {}): TestSender {
  const sender = createSender({
    clock: options.clock ?? realClock,
    allowedNetworks: options.allowedNetworks ?? LOOPBACK,
    // A port of loopback on which nothing answers.
    dnsServers: options.dnsServers ?? ['127.0.0.1:1'],
    trustedCertificates: options.trusted ?? [],
    hostsPath: options.hostsPath ?? '/nonexistent/hosts',
    readOwnAddresses: options.ownAddresses ?? (() => []),
  });
  return {
    ...sender,
    get: (url, extra = {}) =>
      sender.send(requestOf(url, extra), {
        timeoutSeconds: extra.timeoutSeconds ?? 30,
        needs: { searchFor: [], paths: [], ...extra.needs },
      }),
    [Symbol.asyncDispose]: () => sender.close(),
  };
}

function requestOf(url: string, { method = 'GET', headers = [], body }: Extra): OutgoingRequest {
  return { method, url, headers, body: body === undefined ? null : Buffer.from(body) };
}

/** The error text of an exchange that broke off (§2.7). */
export function saysOf({ fault }: { fault: FaultCode }): string {
  return CONNECTION_FAULTS[fault].says;
}

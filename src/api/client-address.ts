import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { readAddress } from '#domain/http/address-range';
import type { Arrival } from '#domain/http/arrival';

export const readArrival = ({ rawHeaders, socket }: IncomingMessage): Arrival => ({
  rawHeaders,
  address: socket.remoteAddress,
});

/**
 * The address that requests are counted by (§8.1). The first address of its /64 replaces an IPv6 address, because one
 * client has the whole network.
 *
 * Each of `trustedProxies` proxies appends its client's address to `X-Forwarded-For`: the nth entry from the end is
 * the client, and earlier ones may be forged. If it is missing or invalid, the socket's address counts.
 */
export function readClientAddress(incoming: IncomingMessage, trustedProxies: number): string {
  const socketAddress = incoming.socket.remoteAddress ?? '';
  const forwarded = trustedProxies > 0 ? incoming.headers['x-forwarded-for'] : undefined;
  // Node joins repeated headers with a comma, in order.
  const text = Array.isArray(forwarded) ? forwarded.join() : forwarded;
  const entry = text?.split(',').at(-trustedProxies)?.trim() ?? '';
  const address = readEntry(entry) ?? readEntry(socketAddress);
  if (address === null) return 'unknown';
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString();
}

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;

/** Without port, brackets and zone. Null if it isn't an address. */
export function readEntry(written: string): ReturnType<typeof readAddress> {
  const [, bracketed, beforePort] = WITH_PORT.exec(written) ?? [];
  const [address = ''] = (bracketed ?? beforePort ?? written).split('%');
  // Quick for each request: the parser throws an error for any other text.
  return isIP(address) === 0 ? null : readAddress(address);
}

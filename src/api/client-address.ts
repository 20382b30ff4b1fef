import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
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
  const entry = text === undefined ? null : findEntryFromEnd(text, trustedProxies);
  const client = entry === null ? null : normalizeAddress(entry);
  const address = client ?? normalizeAddress(socketAddress);
  return address === null ? 'unknown' : networkOf(address);
}

function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString();
}

function findEntryFromEnd(list: string, place: number): string | null {
  return list.split(',').at(-place)?.trim() ?? null;
}

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/;

/**
 * `::ffff:1.2.3.4` becomes 1.2.3.4, `0:0::1` becomes ::1, without port, brackets and zone. Null if it isn't an
 * address.
 */
export function normalizeAddress(written: string): string | null {
  const [, bracketed, beforePort] = WITH_PORT.exec(written) ?? [];
  const [address = ''] = (bracketed ?? beforePort ?? written).split('%');
  if (isIPv4(address)) return address;
  // net.isIP is strict; ipaddr.js would accept `1` or `0x7f.1`.
  return isIP(address) === 0 ? null : ipaddr.process(address).toString();
}

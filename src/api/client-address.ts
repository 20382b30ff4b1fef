import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The address that limits are counted by (§8.1), in one spelling per address. Of IPv6 it is the /64's first one:
 * whoever has one address of such a network has all of them, and would else have a count for each.
 *
 * With `trustedProxies` n, each of the n proxies in front has added to `X-Forwarded-For` whom it saw, so the
 * nth entry from the end is the client; whatever stands before it the client may have made up. Where
 * that entry is missing or no address, the socket's own stands in: a forged header gains nobody a fresh count.
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

/** `::ffff:1.2.3.4` is 1.2.3.4, `0:0::1` is ::1; a port, brackets and a zone go. Null when it is no address. */
export function normalizeAddress(written: string): string | null {
  const [, bracketed, beforePort] = WITH_PORT.exec(written) ?? [];
  const [address = ''] = (bracketed ?? beforePort ?? written).split('%');
  if (isIPv4(address)) return address;
  // net.isIP is strict; ipaddr.js alone would take `1` or `0x7f.1`.
  return isIP(address) === 0 ? null : ipaddr.process(address).toString();
}

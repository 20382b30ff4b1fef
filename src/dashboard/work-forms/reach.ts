import { useShell } from '../page/shell.ts';

const mostNamed = 3;
const lists = new Intl.ListFormat('en-GB');

export function describeReach(allowedNetworks: readonly string[]): string {
  if (allowedNetworks.includes('0.0.0.0/0')) return 'It must be reachable from Belfry over IPv4.';
  if (allowedNetworks.length === 0)
    return 'It must be reachable from the public internet over IPv4.';
  const left = allowedNetworks.length - mostNamed;
  const named = [...allowedNetworks.slice(0, mostNamed), ...(left > 0 ? [`${left} more`] : [])];
  return `It must be reachable over IPv4, at a public address or within ${lists.format(named)}, as the operator allows.`;
}

export function useReach(): string {
  const shell = useShell();
  return describeReach(shell?.allowedNetworks ?? []);
}

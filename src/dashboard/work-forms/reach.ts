import { useShell } from '../page/shell.ts';

const mostNamed = 3;

export function describeReach(allowedNetworks: readonly string[]): string {
  if (allowedNetworks.includes('0.0.0.0/0')) return 'It must be reachable from Belfry over IPv4.';
  const [first, ...others] = allowedNetworks.slice(0, mostNamed);
  if (first === undefined) return 'It must be reachable from the public internet over IPv4.';
  const left = allowedNetworks.length - mostNamed;
  const rest = left > 0 ? [`${left} more`] : [];
  const all = [first, ...others, ...rest];
  const named = [all.slice(0, -1).join(', '), all.at(-1)].filter((part) => part !== '');
  return `It must be reachable over IPv4, at a public address or within ${named.join(' and ')}, as the operator allows.`;
}

export function useReach(): string {
  const shell = useShell();
  return describeReach(shell?.allowedNetworks ?? []);
}

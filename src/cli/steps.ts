import type { Part, Plain } from '#work/resources/resource';
import { isWritten, toJson } from '#work/resources/resource';
import type { IsSecretHeader } from '#domain/http/secret-headers';
import type { Work } from '#work/work';
import { CommandFault, explainFault } from './fault.ts';
import { show, type Session } from './session.ts';

export interface Step {
  action: 'create' | 'change';
  kind: string;
  name: string;
  /** Secrets are replaced by `(secret)`. */
  changes: readonly FieldChange[];
  apply: (work: Work, teamId: string) => Promise<unknown>;
}

export interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

/** Of a new item all that aren't defaults. */
export function compare(
  parts: readonly Part[],
  before: ReadonlyMap<string, Plain> | undefined,
  after: ReadonlyMap<string, Plain>,
): FieldChange[] {
  return parts.flatMap((part): FieldChange[] => {
    const { name: field, kind } = part;
    const [from, to] = [before?.get(field) ?? null, after.get(field) ?? null];
    if (field === 'name' || (before ? isSame(from, to) : !isWritten(part, to))) return [];
    return kind === 'headers' ? compareHeaders(from, to) : [{ field, from, to }];
  });
}

function compareHeaders(from: Plain, to: Plain): FieldChange[] {
  const before = new Map<string, string>(from instanceof Map ? from : []);
  const after = new Map<string, string>(to instanceof Map ? to : []);
  const changes = [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was = null, is = null] = [before.get(name), after.get(name)];
    return was === is ? [] : [{ field: `headers.${name}`, from: was, to: is }];
  });
  // Headers are sent in order, so another order is a change.
  const reordered = { field: 'headers', from: [...before.keys()], to: [...after.keys()] };
  return changes.length > 0 ? changes : [reordered];
}

const isSame = (one: Plain, other: Plain) => toJson(one) === toJson(other);

/** Hides masked headers, and the fields that `isSecret` names. */
export function hideSecrets(
  changes: readonly FieldChange[],
  isSecretHeader: IsSecretHeader,
  isSecret: (field: string) => boolean = () => false,
): FieldChange[] {
  const hide = (value: unknown) => (value === null ? null : '(secret)');
  return changes.map(({ field, from, to }) => {
    const header = /^headers\.(.*)$/s.exec(field)?.[1];
    const isHidden = isSecret(field) || (header !== undefined && isSecretHeader(header));
    return isHidden ? { field, from: hide(from), to: hide(to) } : { field, from, to };
  });
}

interface Outcome {
  dryRun: boolean;
  unchanged: number;
  /** The things that `unchanged` counts: `the file's items`. */
  items: string;
  /** How to continue after a failure. */
  again: string;
}

/** Unless it is a dry run. */
export async function carryOut(
  session: Session,
  { work, teamId }: { work: Work; teamId: string },
  steps: readonly Step[],
  outcome: Outcome,
): Promise<void> {
  if (!outcome.dryRun) await applyAll(session, work, teamId, steps, outcome.again);
  report(session, steps, outcome);
}

/** Each step has its own transaction. If one fails, earlier ones stay, and the same command continues there. */
async function applyAll(
  session: Session,
  work: Work,
  teamId: string,
  steps: readonly Step[],
  again: string,
): Promise<void> {
  for (const [at, step] of steps.entries()) {
    try {
      await step.apply(work, teamId);
    } catch (fault) {
      for (const each of steps.slice(0, at)) session.say(`done: ${describe(each)}`);
      throw new CommandFault(
        `${at} of ${steps.length} changes were made; the next failed: ${describe(step)}: ${explainFault(fault)} ${again}`,
      );
    }
  }
}

const describe = ({ action, kind, name }: Step) => `${action} the ${kind} ${show(name)}`;

function report(
  session: Session,
  done: readonly Step[],
  { dryRun, unchanged, items }: Outcome,
): void {
  const steps = done.map(({ action, kind, name, changes }) => ({ action, kind, name, changes }));
  if (session.output === 'table') {
    const lines = steps.flatMap(({ changes, ...step }) =>
      changes.map((change) => ({ ...step, ...change })),
    );
    session.printList(lines, ['action', 'kind', 'name', 'field', 'from', 'to']);
  } else {
    session.print({ dry_run: dryRun, steps, unchanged });
  }
  const is = `${unchanged} of ${items} are unchanged.`;
  const would = `${steps.length} would be made or changed; nothing was.`;
  session.say(dryRun ? `${would} ${is}` : `${steps.length} were made or changed. ${is}`);
}

/** The inputs of a channel's form. Kinds with the same fields share them. */
import {
  CHANNEL_KINDS,
  type ChannelConfig,
  type ChannelField,
  fieldsOfKind,
  isPostedKind,
  type PostedKind,
  valueOf,
} from '#domain/notification-channel';
import type { Values } from '../forms/values.ts';

/** Kinds with the same fields; the names of their inputs begin with `name`. */
export type FieldGroup = {
  name: string;
  kinds: readonly PostedKind[];
  fields: readonly ChannelField[];
};

export const fieldGroups: readonly FieldGroup[] = groupKinds();

function groupKinds(): FieldGroup[] {
  const kinds = Object.keys(CHANNEL_KINDS).filter(isPostedKind);
  const groups = Map.groupBy(kinds, (kind) => JSON.stringify(fieldsOfKind(kind)));
  return [...groups.values()].flatMap((some) => {
    const [first] = some;
    return first ? [{ name: first, kinds: some, fields: fieldsOfKind(first) }] : [];
  });
}

export function inputName(group: FieldGroup, field: Pick<ChannelField, 'name'>): string {
  return `${group.name}_${field.name}`;
}

export function groupOf(kind: string): FieldGroup | null {
  return fieldGroups.find(({ kinds }) => kinds.some((each) => each === kind)) ?? null;
}

/** Secrets are not shown. A field that is left empty keeps its secret. */
export function valuesOfChannel(config: ChannelConfig): Values {
  const group = groupOf(config.kind);
  const shown = (group?.fields ?? []).filter(({ isSecret }) => !isSecret);
  const values = shown.map((field) => [
    group && inputName(group, field),
    valueOf(config, field) ?? '',
  ]);
  return { kind: config.kind, ...(Object.fromEntries(values) as Values) };
}

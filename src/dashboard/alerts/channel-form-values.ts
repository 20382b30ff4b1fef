import {
  CHANNEL_KINDS,
  type ChannelConfig,
  type ChannelField,
  fieldsOfKind,
  isPostedKind,
  type PostedKind,
  valueOf,
} from '#domain/notification-channel';

export type ChannelFormValues = {
  name: string;
  kind: string;
  collect_minutes: string;
  /** Values by the names of the inputs. Kinds with the same fields share them. */
  values: Readonly<Record<string, string>>;
};

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
export function formValuesOfChannel(
  name: string,
  config: ChannelConfig,
  collectMinutes: number | null,
): ChannelFormValues {
  const group = groupOf(config.kind);
  const values = (group?.fields ?? []).flatMap((field) => {
    const value = field.isSecret || group === null ? null : valueOf(config, field);
    return value === null || group === null ? [] : [[inputName(group, field), value] as const];
  });
  return {
    name,
    kind: config.kind,
    collect_minutes: collectMinutes === null ? '' : String(collectMinutes),
    values: Object.fromEntries(values),
  };
}

import { Button } from '../parts/Button.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { Form } from '../forms/Form.tsx';
import { ChoiceField, TextField } from '../forms/Field.tsx';
import { DataTable, type Column } from '../lists/DataTable.tsx';
import { Section } from '../parts/Section.tsx';
import type { FieldErrors, TeamGroup } from '../services.ts';

const roles = [
  { value: 'member', text: 'Member' },
  { value: 'admin', text: 'Admin' },
  { value: 'viewer', text: 'Viewer' },
] as const;

/** The groups of the provider or proxy whose people are members. */
export function TeamGroups({
  groups,
  isTold,
  errors,
}: {
  groups: readonly TeamGroup[];
  /** Whether anybody says here who is in which group. */
  isTold: boolean;
  errors?: FieldErrors | undefined;
}) {
  const note = isTold
    ? 'Their people are members while the sign-in says that they are in the group: they come, and go, with their next sign-in. Whom you made a member by hand stays as you made them.'
    : 'Nothing says here any more who is in which group, so nobody comes or goes by these.';
  return (
    <Section title="Groups" note={note}>
      {groups.length > 0 ? (
        <DataTable caption="Groups" columns={columns} rows={groups} keyOf={({ name }) => name} />
      ) : null}
      {isTold ? (
        <Form>
          <TextField
            name="group"
            label="Group"
            description="As the sign-in writes it, to the letter. One that is let in already gets the role."
            required
            maxLength={200}
            errors={errors}
          />
          <ChoiceField name="role" label="Role" choices={roles} errors={errors} />
          <Button type="submit" name="intent" value="set-group">
            Let the group in
          </Button>
        </Form>
      ) : null}
    </Section>
  );
}

const columns: Column<TeamGroup>[] = [
  { key: 'name', head: 'Group', cell: ({ name }) => name },
  { key: 'role', head: 'Role', width: '100px', cell: ({ role }) => role },
  {
    key: 'members',
    head: 'Came by it',
    width: '120px',
    givesWay: 1,
    cell: ({ members }) => members,
  },
  {
    key: 'actions',
    head: 'Change',
    width: '130px',
    cell: ({ name, members }) => (
      <ConfirmDialog
        word="Remove"
        question={`Let the group ${name} in no longer?`}
        fields={{ group: name, intent: 'remove-group' }}
      >
        {members === 0
          ? 'Nobody came by it.'
          : `${members === 1 ? 'One member' : `${members} members`} came by it and leave now.`}
      </ConfirmDialog>
    ),
  },
];

import type { ComponentProps } from 'react';
import { Submit } from '../parts/Button.tsx';
import { Form } from './Form.tsx';

type ActionButtonProps = ComponentProps<typeof Submit> &
  Pick<ComponentProps<typeof Form>, 'fields' | 'action' | 'preventScrollReset'>;

/** For an action that takes no input. */
export function ActionButton(props: ActionButtonProps) {
  const { fields = {}, action, preventScrollReset = false, className, ...button } = props;
  return (
    <Form
      {...(action && { action })}
      {...(className && { className })}
      {...{ fields, preventScrollReset }}
    >
      <Submit {...button} />
    </Form>
  );
}

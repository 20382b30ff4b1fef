import type { ComponentProps } from 'react';
import { Submit } from '../parts/Button.tsx';
import { Form } from './Form.tsx';

type ActionButtonProps = ComponentProps<typeof Submit> & {
  /** What is sent besides. */
  fields?: Readonly<Record<string, string>>;
  /** The address that it is sent to; this page by default. */
  action?: string;
  preventScrollReset?: boolean;
};

/** A button with a form of its own, for an action that takes no input. */
export function ActionButton(props: ActionButtonProps) {
  const { fields = {}, action, preventScrollReset = false, className, ...button } = props;
  return (
    <Form
      {...(action && { action })}
      {...(className && { className })}
      preventScrollReset={preventScrollReset}
    >
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Submit {...button} />
    </Form>
  );
}

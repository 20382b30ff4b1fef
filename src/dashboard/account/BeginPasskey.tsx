import { Button } from '../parts/Button.tsx';
import { Form } from '../forms/Form.tsx';

/** Begins a sign-in by passkey, which goes on at a page of its own. */
export function BeginPasskey({ next, word }: { next: string; word: string }) {
  return (
    <Form action="/login/passkey" className="needs-script">
      <input type="hidden" name="next" value={next} />
      <Button type="submit" name="intent" value="begin" variant="default" size="large">
        {word}
      </Button>
    </Form>
  );
}

/** TokenForm: asks for the control token. */

import type { Commands } from '../commands.js';
import { Field, Form } from './form.js';

interface TokenFormProps {
  readonly commands: Commands;
  readonly isWrong: boolean;
}

export function TokenForm({ commands, isWrong }: TokenFormProps) {
  return (
    <main class="narrow">
      <h1>Emulator console</h1>
      <p>
        This emulator was started with a control token. The page keeps it until this tab is closed.
      </p>
      <Form onSend={({ token = '' }) => commands.setToken(token)}>
        <Field label="Control token">
          <input name="token" type="password" autocomplete="off" required />
        </Field>
        <button type="submit">Open the console</button>
      </Form>
      {isWrong && (
        <p role="alert" class="bad">
          The emulator refused this token.
        </p>
      )}
    </main>
  );
}

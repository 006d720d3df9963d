/** StartView: the first screen, with the variables of a client and a sample order. */

import { mainCredential, sampleOrderLine, variables } from '../start.js';
import { Button } from './controls.js';
import { Field } from './form.js';
import type { ViewProps } from './view-props.js';

export function StartView(props: ViewProps & { readonly hasToken: boolean }) {
  const { state, emulator, commands, hasToken } = props;
  const credential = mainCredential(emulator, state.keyId);
  const line = sampleOrderLine(emulator.baseUrl, hasToken);
  return (
    <div class="narrow">
      <h2>1. Connect your program</h2>
      <Variables {...props} />
      <h2>2. Or place a sample order</h2>
      {credential !== undefined && (
        <p class="buttons">
          <Button onPress={() => commands.placeSampleOrder(emulator.baseUrl, credential.keyId)}>
            Place a sample order
          </Button>
          <span class="muted">or from a shell:</span>
        </p>
      )}
      <pre>
        <code>{line}</code>
      </pre>
      <p class="buttons">
        <Button onPress={() => commands.copy(line)}>Copy the line</Button>
      </p>
      <p>Each request appears under Requests as it comes. Then move the order under Orders.</p>
    </div>
  );
}

function Variables({ state, emulator, commands }: ViewProps) {
  const credential = mainCredential(emulator, state.keyId);
  const { secrets } = state;
  if (credential === undefined) {
    return (
      <p class="buttons">
        <Button onPress={() => commands.act(['/credentials'])}>Issue a credential</Button>
      </p>
    );
  }
  const { keyId } = credential;
  return (
    <>
      <Field label="Credential">
        <select
          value={keyId}
          onChange={({ currentTarget }) => commands.chooseCredential(currentTarget.value)}
        >
          {emulator.credentials.map((each) => (
            <option key={each.keyId} value={each.keyId}>
              {each.environment}: {each.scopes.join(', ')}
            </option>
          ))}
        </select>
      </Field>
      <pre>
        <code>{variables(emulator.baseUrl, keyId, secrets)}</code>
      </pre>
      <p class="buttons">
        <Button onPress={() => commands.copyVariables(emulator.baseUrl, keyId)}>
          Copy the variables
        </Button>
        <Button
          isPressed={secrets !== undefined}
          onPress={() => commands.toggleSecret(keyId, secrets === undefined)}
        >
          Show the secrets
        </Button>
      </p>
    </>
  );
}

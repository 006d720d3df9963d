/** StartView: the first screen, with the variables of a client and a sample order. */

import { mainCredential, sampleOrderLine, variables } from '../start.js';
import { Button } from './controls.js';
import type { ViewProps } from './view-props.js';

const hiddenSecret = '••••••••';

export function StartView(props: ViewProps & { readonly hasToken: boolean }) {
  const { emulator, commands, hasToken } = props;
  const line = sampleOrderLine(emulator.baseUrl, hasToken);
  return (
    <div class="narrow">
      <h2>1. Connect your program</h2>
      <Variables {...props} />
      <h2>2. Or place a sample order from a shell</h2>
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
  const credential = mainCredential(emulator);
  const { secret } = state;
  if (credential === undefined) {
    return (
      <p class="buttons">
        <Button onPress={() => commands.act(['/credentials'])}>Issue a credential</Button>
      </p>
    );
  }
  const { keyId, scopes } = credential;
  return (
    <>
      <pre>
        <code>{variables(emulator.baseUrl, keyId, secret ?? hiddenSecret)}</code>
      </pre>
      <p class="buttons">
        <Button onPress={() => commands.copyVariables(emulator.baseUrl, keyId)}>
          Copy the variables
        </Button>
        <Button
          isPressed={secret !== undefined}
          onPress={() => commands.toggleSecret(keyId, secret === undefined)}
        >
          Show the secret
        </Button>
      </p>
      <p class="muted">This credential has the scopes {scopes.join(', ')}.</p>
    </>
  );
}

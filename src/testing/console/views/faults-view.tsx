/** FaultsView: the tests that every integration has, what is armed, and a form for each kind of fault. */

import { describeFault, presets } from '../fault-calls.js';
import type { FaultOptionsView } from '../wire.js';
import { Button } from './controls.js';
import { FaultForms } from './fault-forms.js';
import { Form } from './form.js';
import type { ViewProps } from './view-props.js';

export function FaultsView(props: ViewProps) {
  const { state, commands } = props;
  const { faultOptions } = state;
  if (faultOptions === undefined) return null;
  return (
    <>
      <ArmedFaults {...props} options={faultOptions} />
      <h2>Try these five first</h2>
      <ul class="cards">
        {presets.map(({ title, call }) => (
          <li key={title}>
            <Button onPress={() => commands.act(call)}>{title}</Button>
          </li>
        ))}
        <li>
          <Form
            class="line"
            label="A price rises"
            onSend={({ domain = '' }) => commands.raisePrice(domain)}
          >
            <input name="domain" aria-label="Domain" defaultValue="brew.example" required />
            <button type="submit">The price of this domain rises</button>
          </Form>
        </li>
      </ul>
      <h2>Any fault</h2>
      <FaultForms options={faultOptions} commands={commands} />
    </>
  );
}

function ArmedFaults({
  emulator,
  commands,
  options,
}: ViewProps & { readonly options: FaultOptionsView }) {
  if (emulator.faults.length === 0) return <p class="empty">No fault is armed.</p>;
  return (
    <ul class="list" aria-label="Armed faults">
      {emulator.faults.map((each) => {
        const sentence = describeFault(each, options);
        return (
          <li key={each.id} class="armed">
            <span>{sentence}</span>
            <Button
              label={`Disarm: ${sentence}`}
              onPress={() => commands.act([`/faults/${each.id}/remove`])}
            >
              Disarm
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

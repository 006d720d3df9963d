/** FaultForms: a form for each kind of fault. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Commands } from '../commands.js';
import {
  callFault,
  deliveryEffects,
  deliveryFault,
  lateFault,
  type FormFields,
} from '../fault-calls.js';
import type { FaultOptionsView } from '../wire.js';
import { Field, Form, Select } from './form.js';

interface FaultFormsProps {
  readonly options: FaultOptionsView;
  readonly commands: Commands;
}

const everyType = 'all types';

export function FaultForms({ options, commands }: FaultFormsProps) {
  const { calls, faults, deliveryFaults, eventTypes } = options;
  const duration = (
    <Field label="By how long">
      <input name="duration" defaultValue="2 minutes" required />
    </Field>
  );
  const type = (
    <Field label="Events">
      <Select name="type" values={eventTypes} empty={everyType} />
    </Field>
  );
  return (
    <div class="forms">
      <FaultForm title="Calls" onArm={(fields) => commands.act(callFault(fields))}>
        <Field label="Which">
          <Select name="match" values={calls} empty="the next calls" />
        </Field>
        <CallFaultFields faults={faults} />
      </FaultForm>
      <FaultForm title="Deliveries" onArm={(fields) => commands.act(deliveryFault(fields))}>
        {type}
        <DeliveryFaultFields names={deliveryFaults} />
      </FaultForm>
      <FaultForm
        title="Event history is late"
        onArm={(fields) => commands.act(lateFault('history', fields))}
      >
        {duration}
        {type}
      </FaultForm>
      <FaultForm
        title="Order list is late"
        onArm={(fields) => commands.act(lateFault('orderList', fields))}
      >
        {duration}
      </FaultForm>
    </div>
  );
}

/** The fault, and its value if it takes one. */
function CallFaultFields({ faults }: Pick<FaultOptionsView, 'faults'>) {
  const [name, setName] = useState<string | undefined>(faults[0]?.name);
  const chosen = faults.find((each) => each.name === name);
  return (
    <>
      <Field label="What happens">
        <select name="fault" onChange={({ currentTarget }) => setName(currentTarget.value)}>
          {faults.map((each) => (
            <option key={each.name} value={each.name}>
              {each.effect}
            </option>
          ))}
        </select>
      </Field>
      {chosen?.example !== undefined && (
        <Field key={name} label={`Value (${chosen.field ?? ''})`}>
          <input name="value" defaultValue={chosen.example} required />
        </Field>
      )}
    </>
  );
}

function DeliveryFaultFields({ names }: { readonly names: readonly string[] }) {
  const [name, setName] = useState(names[0] ?? '');
  return (
    <>
      <Field label="What happens">
        <select name="fault" onChange={({ currentTarget }) => setName(currentTarget.value)}>
          {[...names, ''].map((each) => (
            <option key={each} value={each}>
              it {deliveryEffects[each === '' ? 'late' : each]}
            </option>
          ))}
        </select>
      </Field>
      {name === '' && (
        <Field label="By how long">
          <input name="duration" defaultValue="10 minutes" required />
        </Field>
      )}
    </>
  );
}

interface FaultFormProps {
  readonly title: string;
  readonly onArm: (fields: FormFields) => Promise<void>;
  readonly children: ComponentChildren;
}

function FaultForm({ title, onArm, children }: FaultFormProps) {
  return (
    <Form label={title} onSend={onArm}>
      <h2>{title}</h2>
      {children}
      <Field label="Times (empty: always)">
        <input name="times" type="number" min="1" defaultValue="1" />
      </Field>
      <button type="submit">Arm</button>
    </Form>
  );
}

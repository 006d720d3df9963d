/** FaultForms: a form for each kind of fault. */

import type { ComponentChildren } from 'preact';
import type { Commands } from '../commands.js';
import { callFault, deliveryFault, lateFault, type FaultFields } from '../fault-calls.js';
import type { FaultOptionsView } from '../wire.js';
import { Field, fieldsOf, Select } from './form.js';

interface FaultFormsProps {
  readonly options: FaultOptionsView;
  readonly commands: Commands;
}

const everyType = 'all types';

export function FaultForms({ options, commands }: FaultFormsProps) {
  const { calls, faults, deliveryFaults, eventTypes } = options;
  const duration = (
    <Field label="By how long">
      <input name="duration" placeholder="2 minutes" required />
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
        <Field label="Fault">
          <select name="fault">
            {faults.map(({ name, field }) => (
              <option key={name} value={name}>
                {field === undefined ? name : `${name} (${field})`}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Value, where it takes one">
          <input name="value" placeholder="503, 2 seconds" />
        </Field>
      </FaultForm>
      <FaultForm title="Deliveries" onArm={(fields) => commands.act(deliveryFault(fields))}>
        <Field label="Fault">
          <Select name="fault" values={deliveryFaults} empty="late" />
        </Field>
        <Field label="If late, by how long">
          <input name="duration" placeholder="10 minutes" />
        </Field>
        {type}
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

interface FaultFormProps {
  readonly title: string;
  readonly onArm: (fields: FaultFields) => Promise<void>;
  readonly children: ComponentChildren;
}

function FaultForm({ title, onArm, children }: FaultFormProps) {
  return (
    <form aria-label={title} onSubmit={(event) => void onArm(fieldsOf(event))}>
      <h2>{title}</h2>
      {children}
      <Field label="How often; empty is without end">
        <input name="times" type="number" min="1" defaultValue="1" />
      </Field>
      <button type="submit">Arm</button>
    </form>
  );
}

/** FaultsView: what is armed and what is left of it, and the forms that arm a fault. */

import type { FaultView } from '../wire.js';
import { Button, Table } from './controls.js';
import { FaultForms } from './fault-forms.js';
import type { ViewProps } from './view-props.js';

export function FaultsView({ state, emulator, commands }: ViewProps) {
  const { faults } = emulator;
  const remove = ({ id }: FaultView) => commands.act([`/faults/${id}/remove`]);
  return (
    <>
      {faults.length === 0 ? (
        <p class="empty">No fault is armed.</p>
      ) : (
        <Table title="Armed faults" columns={['fault', 'applies to', 'left', '']}>
          {faults.map((each) => (
            <tr key={each.id}>
              <td>{each.title}</td>
              <td>
                {each.target}: {each.match}
              </td>
              <td class="number">{each.left ?? 'no end'}</td>
              <td>
                <Button
                  label={`Disarm ${each.title} for ${each.match}`}
                  onPress={() => remove(each)}
                >
                  Disarm
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {state.faultOptions !== undefined && (
        <FaultForms options={state.faultOptions} commands={commands} />
      )}
    </>
  );
}

/** CanonicalTable: the lines of the canonical string, as expected and as signed. */

import { canonicalLines } from '../requests.js';
import type { RequestView } from '../wire.js';
import { Table } from './controls.js';

interface CanonicalTableProps {
  readonly canonical: NonNullable<RequestView['canonical']>;
}

export function CanonicalTable({ canonical }: CanonicalTableProps) {
  const isKnown = canonical.signed !== undefined;
  return (
    <Table
      title="Canonical string"
      columns={isKnown ? ['Line', 'Expected', 'Signed'] : ['Line', 'Expected']}
    >
      {canonicalLines(canonical).map(({ name, expected, signed, differs }) => (
        <tr key={name} class={differs ? 'differs' : undefined}>
          <th scope="row">
            {name}
            {differs && <b> differs</b>}
          </th>
          <td>{expected === '' ? <i class="muted">empty</i> : expected}</td>
          {isKnown && <td>{signed === '' ? <i class="muted">empty</i> : signed}</td>}
        </tr>
      ))}
    </Table>
  );
}

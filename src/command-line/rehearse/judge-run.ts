/** judgeRequests and judgeOutput: what must hold of a whole rehearsal, whichever sale it was about. */

import { finding, type Finding } from './findings.js';
import { judgeSigning } from './judge-sale.js';
import type { Ledger } from './ledger.js';
import type { ProgramOutput } from './program-output.js';
import type { Sale } from './sale.js';

const rightSecret = 'a secret signs, and is never sent, printed or answered; replace one that was.';

/** Cases judge the calls about their domains; a poll of the history is about none. */
export function judgeRequests(ledger: Ledger): Finding[] {
  return [
    ...judgeSigning(ledger.requestsOf(undefined)),
    ...[...ledger.sentSecrets].map(([name, call]) =>
      finding('keeps-secrets', `The value of ${name} was sent, with ${call}.`, rightSecret),
    ),
  ];
}

export function judgeOutput(output: ProgramOutput, sales: readonly Sale[]): Finding[] {
  const responses = sales.flatMap(({ results, asked }) => [...results, asked]);
  const isIn = (where: string) => (name: string) =>
    finding('keeps-secrets', `The value of ${name} is in ${where}`, rightSecret);
  return [
    ...output.printedSecrets.map(isIn("the program's output: program.log has its name there.")),
    ...output
      .secretsIn(responses.map((each) => each?.output).join('\n'))
      .map(isIn('what --sell or --ask got.')),
  ];
}

/** The report of a rehearsal, as Markdown and as JSON. */

import { version } from '../../core/version.js';
import { causeOf, type Finding, type SeenRequest } from './findings.js';
import type { CaseResult, CaseStatus } from './play-case.js';
import type { RehearsalOptions } from './options.js';
import { rules } from './rules.js';

export interface Rehearsal {
  readonly results: readonly CaseResult[];
  /** Why it ended early. */
  readonly couldNotRun: string | undefined;
  /** What the program printed before that. */
  readonly printed: string;
  /** What the user should know of the program. */
  readonly notes: readonly string[];
  /** The end of what the program printed, without secrets. */
  readonly output: string;
}

export interface ReportFacts extends Rehearsal {
  readonly options: RehearsalOptions;
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** 0: every case that played held; 2: one did not; 1: the rehearsal could not be run. */
export function exitCodeOf({ results, couldNotRun }: Rehearsal): number {
  if (couldNotRun !== undefined) return 1;
  return results.some(({ status }) => isBad(status)) ? 2 : 0;
}

/** A fault that never happened has proved nothing: that counts as a failure. */
export function isBad(status: CaseStatus): boolean {
  return status === 'failed' || status === 'not exercised';
}

/** First, what the run does not show. */
export function limitsOf({
  options,
  results,
  notes,
}: Pick<ReportFacts, 'options' | 'results' | 'notes'>): string[] {
  const { ask, webhook, only } = options;
  const skipped = results.filter(({ status }) => status === 'skipped');
  const reasons = [...new Set(skipped.map(({ reason }) => String(reason)))].map((reason) => {
    const alike = skipped.filter((each) => String(each.reason) === reason);
    return `${[...new Set(alike.map(({ name }) => name))].join(', ')} (${reason})`;
  });
  return [
    ...notes,
    ...(only.length === 0 ? [] : [`Only these cases were asked for: ${only.join(', ')}.`]),
    ...(ask === undefined
      ? ['Without --ask it is unknown what your program told the buyer. Refunds are not checked.']
      : results.some(({ sales }) => sales.some(({ paidBackCents }) => paidBackCents !== undefined))
        ? []
        : [
            '--ask prints no cents, as in "refused 51200", so it was not seen whether a buyer was paid back twice.',
          ]),
    ...(webhook === undefined ? ['Without --webhook no delivery was sent.'] : []),
    ...(reasons.length === 0 ? [] : [`Skipped: ${reasons.join('; ')}.`]),
  ];
}

export function summaryOf({ results, couldNotRun }: Rehearsal): string {
  const count = (status: CaseStatus) => results.filter((each) => each.status === status).length;
  const parts = (['held', 'failed', 'not exercised', 'skipped'] as const)
    .map((status) => [count(status), status] as const)
    .filter(([cases, status]) => cases > 0 || status === 'held')
    .map(([cases, status]) => `${cases} ${status}`);
  const counts = `${parts.join(', ')}.`;
  return couldNotRun === undefined
    ? counts
    : `It could not be run to its end. Until then: ${counts}`;
}

/** The cases that show a cause, by the cause, in the order in which they played. */
export function casesByCause(results: readonly CaseResult[]): ReadonlyMap<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name, findings } of results) {
    for (const cause of new Set(findings.map(causeOf))) {
      found.set(cause, [...new Set([...(found.get(cause) ?? []), name])]);
    }
  }
  return found;
}

const hidden = ['output', 'body', 'key', 'expectedPrice', 'quoteId'];

export function toJson(facts: ReportFacts): string {
  const { options, startedAt, endedAt, results, couldNotRun } = facts;
  const { seed, repeat, patienceMs, outageMs, only, ask, webhook } = options;
  const report = {
    sdk: version,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    exitCode: exitCodeOf(facts),
    couldNotRun: couldNotRun ?? null,
    limits: limitsOf(facts),
    seed,
    repeat,
    only,
    patienceMs,
    outageMs,
    hasAsk: ask !== undefined,
    hasWebhook: webhook !== undefined,
    rules,
    results,
  };
  // The report is passed on. What the program sent, printed or answered may hold a buyer's data.
  const isShown = (name: string, value: unknown) => (hidden.includes(name) ? undefined : value);
  return `${JSON.stringify(report, isShown, 2)}\n`;
}

export function toMarkdown(facts: ReportFacts): string {
  const { options, startedAt, endedAt, results, couldNotRun } = facts;
  const seconds = Math.round((endedAt.getTime() - startedAt.getTime()) / 1_000);
  const failed = results.filter(({ status }) => isBad(status));
  const byCause = casesByCause(failed);
  const lines = [
    '# Rehearsal',
    '',
    `**${summaryOf(facts)}**`,
    ...(couldNotRun === undefined ? [] : ['', '```text', couldNotRun, '```']),
    ...limitsOf(facts).flatMap((limit) => ['', `> ${limit}`]),
    '',
    `- ${startedAt.toISOString()}, ${seconds} s`,
    `- market-partner-sdk ${version}, Node ${process.versions.node}, ${process.platform} ${process.arch}`,
    `- seed ${options.seed}, repeat ${options.repeat}, patience ${options.patienceMs / 1_000} s, outage ${options.outageMs / 1_000} s`,
    '',
    '## Cases',
    '',
    '| case | what happens | result | seconds |',
    '| ---- | ------------ | ------ | ------- |',
    ...results.map(
      ({ name, title, round, status, ms }) =>
        `| ${options.repeat > 1 ? `${name} (${round})` : name} | ${title} | ${status} | ${(ms / 1_000).toFixed(1)} |`,
    ),
    ...(failed.length === 0
      ? []
      : ['', '## What did not hold', ...failed.flatMap((each) => failureOf(each, byCause))]),
    '',
    '## Evidence',
    '',
    '| case | payment | orders | paid | ordered | keys | your program says |',
    '| ---- | ------- | ------ | ---- | ------- | ---- | ---------------- |',
    ...results
      // It repeats the sales of the others.
      .filter(({ name }) => name !== 'books-at-the-end')
      .flatMap(evidenceOf),
  ];
  return `${lines.join('\n')}\n`;
}

function failureOf(
  { name, title, status, reason, findings }: CaseResult,
  byCause: ReadonlyMap<string, readonly string[]>,
): string[] {
  const why = reason === undefined ? [] : ['', `${capital(status)}: ${reason}.`];
  const found = findings.flatMap((each) => {
    const [first = name, ...more] = byCause.get(causeOf(each)) ?? [];
    if (first !== name) return ['', `The same as in ${first}: ${each.seen}`];
    const others = more.length === 0 ? [] : ['', `And ${more.length} more: ${more.join(', ')}.`];
    return [...findingLines(each), ...others];
  });
  return ['', `### ${name}`, '', `${capital(title)}.`, ...why, ...found];
}

function findingLines({ rule, seen, requests }: Finding): string[] {
  const { text, guide } = rules[rule];
  const table =
    requests.length === 0
      ? []
      : [
          '',
          '| time | request | status | fault | id |',
          '| ---- | ------- | ------ | ----- | -- |',
          ...requests.map(requestRow),
        ];
  return ['', `**${text}** ${seen} See ${guide}.`, ...table];
}

function requestRow({ at, call, status, errorCode, faults, requestId }: SeenRequest): string {
  const result = [status ?? 'reset', errorCode].filter((part) => part !== undefined).join(' ');
  const time = new Date(at).toISOString().slice(11, 23);
  return `| ${[time, call, result, faults.join(', '), requestId].join(' | ')} |`;
}

function evidenceOf({ name, sales }: CaseResult): string[] {
  return sales.map(({ payment, orders, paidCents, belief, requests }) => {
    const keys = requests.filter(({ call }) => call === 'POST /orders').map(({ key }) => key);
    const ids = orders.map(({ publicId, isStanding }) =>
      isStanding ? publicId : `${publicId} (ended)`,
    );
    const prices = orders.map(({ priceCents }) => priceCents);
    const count = new Set(keys).size;
    return `| ${name} | ${payment} | ${ids.join(', ')} | ${paidCents} | ${prices.join(', ')} | ${count} | ${belief ?? ''} |`;
  });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** recordingLogger: a logger that keeps its lines. */

import type { LogFields, Logger } from 'market-partner-sdk';

interface Line {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields;
}

export function recordingLogger() {
  const lines: Line[] = [];
  const write = (level: keyof Logger) => (message: string, fields: LogFields) => {
    lines.push({ level, message, fields });
  };
  const logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { lines, logger, warnings: () => lines.filter(({ level }) => level === 'warn') };
}

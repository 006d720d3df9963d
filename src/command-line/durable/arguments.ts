/** `DurableArguments`: what the command was given, checked. */

export interface DurableArguments {
  readonly action: string;
  readonly id: string | undefined;
  readonly engine: string;
  readonly schema: string;
  readonly queue: string | undefined;
  readonly name: string | undefined;
  readonly environment: string | undefined;
  readonly reason: string;
  readonly doesPaymentStand: boolean;
  readonly olderThanDays: number;
  readonly limit: number;
  readonly isJson: boolean;
}

import type { Tool } from "./tools.js";

const DAY = 24 * 60 * 60 * 1000;

export interface Loan {
  readonly tool: Tool;
  readonly memberId: number;
  readonly dueOn: Date;
  readonly returnedOn: Date | null;
}

export function isOverdue(loan: Loan, today: Date): boolean {
  return loan.returnedOn === null && loan.dueOn.getTime() + DAY <= today.getTime();
}

export function daysLate(loan: Loan, today: Date): number {
  if (!isOverdue(loan, today)) return 0;
  return Math.floor((today.getTime() - loan.dueOn.getTime()) / DAY);
}

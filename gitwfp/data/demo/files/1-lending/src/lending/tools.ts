export interface Tool {
  readonly id: number;
  readonly name: string;
  readonly shelf: string;
  readonly deposit: number;
}

/** Tools that need an introduction before a member may fetch them alone. */
const NEEDS_INTRODUCTION = new Set(["chainsaw", "cement mixer", "table saw"]);

export function needsIntroduction(tool: Tool): boolean {
  return NEEDS_INTRODUCTION.has(tool.name.toLowerCase());
}

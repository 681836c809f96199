/** Puts sessions below those that they were forked from or work for. Invariant: every session appears exactly once. */
import type { SessionRow } from '@zerd/protocol/common/methods';

export interface TreeRow {
  readonly row: SessionRow;
  /** 0: at the top. */
  readonly depth: number;
}

/** The tops in the order given, what lies below each in the order in which it began. */
export function sessionTree(sessions: readonly SessionRow[]): readonly TreeRow[] {
  const known = new Set(sessions.map(({ sessionId }) => sessionId));
  const above = (row: SessionRow) => row.parentId ?? row.forkOf?.sessionId;
  const isTop = (row: SessionRow) => {
    const id = above(row);
    return id === undefined || !known.has(id);
  };
  const below = (row: SessionRow, depth: number): readonly TreeRow[] => [
    { row, depth },
    ...sessions
      .filter((other) => above(other) === row.sessionId)
      .toSorted((a, b) => a.createdAt - b.createdAt)
      .flatMap((other) => below(other, depth + 1)),
  ];
  return sessions.filter(isTop).flatMap((row) => below(row, 0));
}

/** What it is to the one above it; '' at the top. */
export function relation({ parentId, forkOf }: SessionRow): string {
  if (parentId !== undefined) return 'sub-agent';
  return forkOf === undefined ? '' : `fork at ${forkOf.seq}`;
}

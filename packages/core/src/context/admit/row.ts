/** One line on its way to the model. */
export interface Row {
  readonly text: string;
  /** The first and the last line of the whole body that it stands for, counted from 1. */
  readonly line: number;
  readonly lastLine: number;
  /** What it stands for weighs, without its last line end. */
  readonly bytes: number;
  /** Written with cursor movement: a frame of something that redraws itself. */
  readonly redrawn?: boolean;
  /** Stands for lines that are not shown word for word. */
  readonly lossy?: boolean;
}

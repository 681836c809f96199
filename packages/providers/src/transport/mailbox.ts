/** A queue between one writer and one reader. The writer may wait for room, so that a slow reader slows the network. */
export interface Mailbox<T> extends AsyncIterable<T> {
  put(item: T): void;
  /** Settles when the reader has taken everything, or at once after the end. */
  drained(): Promise<void>;
  /** Nothing more comes; what was put is still read. */
  close(): void;
}

export function mailbox<T>(): Mailbox<T> {
  const items: T[] = [];
  let closed = false;
  let wakeReader = () => {};
  let wakeWriter = () => {};

  async function* read(): AsyncGenerator<T> {
    while (true) {
      for (let item = items.shift(); item !== undefined; item = items.shift()) yield item;
      wakeWriter();
      if (closed) return;
      await new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    }
  }

  return {
    put(item) {
      if (closed) return;
      items.push(item);
      wakeReader();
    },
    async drained() {
      if (items.length > 0 && !closed) {
        await new Promise<void>((resolve) => {
          wakeWriter = resolve;
        });
      }
    },
    close() {
      closed = true;
      wakeReader();
      wakeWriter();
    },
    [Symbol.asyncIterator]: read,
  };
}

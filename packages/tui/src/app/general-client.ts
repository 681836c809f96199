/** The connection for what belongs to no session: made when it is first wanted, once, and again after it was lost. */
import type { ZerdClient } from '@zerd/protocol/node/client';

export interface GeneralClient {
  client(): Promise<ZerdClient>;
  close(): void;
}

export function createGeneralClient(connect: () => Promise<ZerdClient>): GeneralClient {
  let made: Promise<ZerdClient> | undefined;
  return {
    client() {
      if (made !== undefined) return made;
      const making = connect();
      const forget = () => {
        if (made === making) made = undefined;
      };
      made = making;
      making.then(({ closed }) => closed.then(forget), forget);
      return making;
    },
    close() {
      // One that could not be made was told to whoever wanted it.
      made?.then(
        (one) => one.close(),
        () => undefined,
      );
    },
  };
}

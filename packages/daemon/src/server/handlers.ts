/** Every method's handler, one file a resource. */
import type { Broadcast } from './broadcast.ts';
import type { Handlers } from './dispatch.ts';
import { approvalHandlers } from './handlers/approval.ts';
import { archiveHandlers } from './handlers/archive.ts';
import { authHandlers } from './handlers/auth.ts';
import { configHandlers } from './handlers/config.ts';
import { contextHandlers } from './handlers/context.ts';
import { costHandlers } from './handlers/cost.ts';
import { daemonHandlers } from './handlers/daemon.ts';
import { doctorHandlers } from './handlers/doctor.ts';
import { exportHandlers } from './handlers/export.ts';
import { grantHandlers } from './handlers/grant.ts';
import { initializeHandlers } from './handlers/initialize.ts';
import { jobHandlers } from './handlers/job.ts';
import { mcpHandlers } from './handlers/mcp.ts';
import { modelHandlers } from './handlers/model.ts';
import { notesHandlers } from './handlers/notes.ts';
import { questionHandlers } from './handlers/question.ts';
import { queueHandlers } from './handlers/queue.ts';
import { searchHandlers } from './handlers/search.ts';
import { sessionHandlers } from './handlers/session.ts';
import { trustHandlers } from './handlers/trust.ts';
import { turnHandlers } from './handlers/turn.ts';
import type { House } from './house.ts';

export interface HandlerParts {
  readonly house: House;
  readonly broadcast: Broadcast;
  /** Connected clients. */
  readonly clients: () => number;
}

export function createHandlers({ house, broadcast, clients }: HandlerParts): Handlers {
  return {
    ...initializeHandlers(house),
    ...sessionHandlers(house, broadcast),
    ...turnHandlers(house),
    ...queueHandlers(house),
    ...approvalHandlers(house),
    ...questionHandlers(house),
    ...authHandlers(house),
    ...trustHandlers(house),
    ...grantHandlers(house),
    ...costHandlers(house),
    ...exportHandlers(house),
    ...contextHandlers(house),
    ...archiveHandlers(house),
    ...notesHandlers(house),
    ...jobHandlers(house),
    ...mcpHandlers(house),
    ...configHandlers(house),
    ...modelHandlers(house),
    ...searchHandlers(house),
    ...doctorHandlers(house),
    ...daemonHandlers(house, clients),
  };
}

// Keeps the events of legacy streams, so that a client that comes back gets what it missed.
import { randomUUID } from 'node:crypto';

/** An event store for one session; it lives as long as the session. */
export function makeEventStore() {
  const events = new Map();
  return {
    async storeEvent(streamId, message) {
      const id = `${streamId}_${randomUUID()}`;
      events.set(id, { streamId, message });
      return id;
    },
    async getStreamIdForEventId(id) {
      return events.get(id)?.streamId;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const streamId = events.get(lastEventId)?.streamId;
      let isAfter = false;
      for (const [id, event] of events) {
        if (isAfter && event.streamId === streamId && event.message?.jsonrpc) await send(id, event.message);
        isAfter ||= id === lastEventId;
      }
      return streamId ?? '';
    },
  };
}

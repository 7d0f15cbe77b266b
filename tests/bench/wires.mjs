// CPU time of a call over WebSocket and over HTTP+SSE beside the same over Streamable HTTP, where each
// connection has a session of its own as it has over the others.
import { measure, middle, ratio } from './rounds.mjs';
import { overWire, startBartizan, startOrigin } from './targets.mjs';

export async function wires(results) {
  const origin = await startOrigin();
  const target = await startBartizan(origin);
  const [webSocket, sse] = [overWire(target, 'websocket'), overWire(target, 'sse')];
  const rounds = await measure('400 B by transport', [target, webSocket, sse], { ownSessions: true });
  results.add('cpu_web_socket_vs_http', ratio(rounds, 'websocket', 'bartizan'));
  results.add('cpu_sse_vs_http', ratio(rounds, 'sse', 'bartizan'));
  for (const [name, suffix] of [['bartizan', 'http'], ['websocket', 'web_socket'], ['sse', 'sse']]) {
    results.add(`cpu_us_${suffix}_own_sessions`, middle(rounds, name));
  }
  await target.stop();
  await origin.stop();
}

// A reporter beside the readable one: after all stories, those that took longest, with their seconds.
import { basename } from 'node:path';

const kShown = 8;

export default async function* storySeconds(events) {
  const seconds = new Map();
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting !== 0 || !data.file) continue;
    const name = basename(data.file);
    seconds.set(name, (seconds.get(name) ?? 0) + data.details.duration_ms / 1000);
  }
  const slowest = [...seconds].sort((a, b) => b[1] - a[1]).slice(0, kShown);
  yield `slowest stories: ${slowest.map(([name, took]) => `${name} ${took.toFixed(1)} s`).join(', ')}\n`;
}

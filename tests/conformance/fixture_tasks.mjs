// The tools of the suite's scenarios for tasks. The SDK knows nothing of the extension, so that the
// fixture answers what is about tasks before the SDK sees it.
import { TaskDesk, kSuiteTools, kTasks, repeatsInHeaders } from '../end_to_end/fixtures/task_desk.mjs';

export const kTaskCapability = { [kTasks]: {} };

export function addTaskTools(server) {
  for (const name of Object.keys(kSuiteTools)) {
    server.registerTool(name, { description: 'A tool of the scenarios for tasks.' }, () => ({ content: [] }));
  }
}

/** For `serveHttp`: answers what is about tasks. */
export function interceptTasks() {
  const desk = new TaskDesk();
  return async (request) => {
    if (request.method !== 'POST') return undefined;
    const message = await request.clone().json().catch(() => ({}));
    const isRepeated = repeatsInHeaders(message, Object.fromEntries(request.headers));
    const isOfTask = ['tasks/get', 'tasks/update', 'tasks/cancel'].includes(message.method);
    if (!isRepeated && isOfTask) {
      const error = { code: -32020, message: 'a header does not repeat the body' };
      return Response.json({ jsonrpc: '2.0', id: message.id, error }, { status: 400 });
    }
    if (!isRepeated) return undefined;
    const answer = desk.answer(message);
    if (!answer) return undefined;
    const { status = 200, ...body } = answer;
    return Response.json({ jsonrpc: '2.0', id: message.id, ...body }, { status });
  };
}

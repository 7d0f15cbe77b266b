// The resources and prompts that the official suite asks for by name.
import { ResourceTemplate, completable } from '@modelcontextprotocol/server';
import { z } from 'zod';

// A PNG of one red pixel and a WAV without samples: the smallest files of their kind.
export const kPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
export const kWav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export function addResources(server) {
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text that never changes.', mimeType: 'text/plain' },
    (uri) => ({
      contents: [
        { uri: uri.href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
      ],
    }),
  );
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'An image that never changes.', mimeType: 'image/png' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'image/png', blob: kPng }] }),
  );
  server.registerResource(
    'watched-resource',
    'test://watched-resource',
    { description: 'A resource to subscribe to.', mimeType: 'text/plain' },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Watched.' }] }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data for one id.', mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
}

/** Accepts subscriptions of legacy sessions; modern ones are the serving entry's own work. */
export function addSubscriptions(server) {
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
}

function message(content) {
  return { role: 'user', content };
}

function text(value) {
  return { type: 'text', text: value };
}

export function addPrompts(server) {
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments.' }, () => ({
    messages: [message(text('This is a simple prompt for testing.'))],
  }));
  const city = completable(z.string(), (value) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value)));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A prompt with two arguments.', argsSchema: z.object({ arg1: city, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt that embeds a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        message({
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        message(text('Please process the embedded resource above.')),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image.' }, () => ({
    messages: [
      message({ type: 'image', data: kPng, mimeType: 'image/png' }),
      message(text('Please analyze the image above.')),
    ],
  }));
}

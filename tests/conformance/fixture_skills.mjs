// The skills that the fixture serves, as the extension io.modelcontextprotocol/skills (SEP-2640) has them.
// Files are ordinary resources; skills/list and skills/get name them with digest and size.
import { createHash } from 'node:crypto';

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';

const kExtension = 'io.modelcontextprotocol/skills';
const kDirectory = 'inode/directory';
const kCaching = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' };
const kPageSize = 1;

function skillText(name, description, body) {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
}

const kRefunds = { name: 'refunds', description: 'Refund customers by the rules of the house' };
const kMinutes = { name: 'minutes', description: 'Write the minutes of a meeting' };

/** Skills with their directories; files by their paths below these. */
const kSkills = [
  {
    directory: 'skill://acme/billing/refunds',
    frontmatter: kRefunds,
    files: {
      'SKILL.md': skillText(kRefunds.name, kRefunds.description, 'Take a template from `templates/`.'),
      'templates/letter.md': 'Dear customer,\n',
      'templates/short/note.md': 'Refunded – thank you.\n',
    },
  },
  {
    directory: 'skill://minutes',
    frontmatter: kMinutes,
    files: { 'SKILL.md': skillText(kMinutes.name, kMinutes.description, 'Who was there, what was decided.') },
  },
];

export const kSkillCapability = { [kExtension]: { directoryRead: true } };

function filesOf({ directory, files }) {
  return Object.entries(files).map(([path, text]) => ({ uri: `${directory}/${path}`, text }));
}

function entryOf(skill) {
  const resources = filesOf(skill).map(({ uri, text }) => ({
    uri,
    digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
    size: Buffer.byteLength(text),
  }));
  return { uri: `${skill.directory}/SKILL.md`, frontmatter: skill.frontmatter, resources };
}

/** The direct children of a directory; empty where it is none. */
function childrenOf(directory) {
  const children = new Map();
  for (const { uri } of kSkills.flatMap(filesOf)) {
    if (!uri.startsWith(`${directory}/`)) continue;
    const [name, ...below] = uri.slice(directory.length + 1).split('/');
    children.set(name, {
      uri: `${directory}/${name}`,
      name,
      mimeType: below.length > 0 ? kDirectory : 'text/markdown',
    });
  }
  return [...children.values()];
}

function invalid(uri) {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `nothing of that kind at ${uri}`);
}

function addFiles(server) {
  for (const skill of kSkills) {
    for (const { uri, text } of filesOf(skill)) {
      const isSkill = uri === `${skill.directory}/SKILL.md`;
      server.registerResource(
        isSkill ? skill.frontmatter.name : uri.slice(skill.directory.length + 1),
        uri,
        { mimeType: 'text/markdown', ...(isSkill && { description: skill.frontmatter.description }) },
        () => ({ contents: [{ uri, mimeType: 'text/markdown', text }] }),
      );
    }
  }
}

/** To modern clients: the methods are of no other revision. */
export function addSkills(server) {
  addFiles(server);
  const page = { params: z.looseObject({ cursor: z.string().optional() }) };
  const named = { params: z.looseObject({ uri: z.string(), cursor: z.string().optional() }) };
  server.server.setRequestHandler('skills/list', page, ({ cursor = '0' }) => {
    const next = Number(cursor) + kPageSize;
    const skills = kSkills.slice(Number(cursor), next).map(entryOf);
    return { ...kCaching, skills, ...(next < kSkills.length && { nextCursor: String(next) }) };
  });
  server.server.setRequestHandler('skills/get', named, ({ uri }) => {
    const skill = kSkills.find(({ directory }) => uri === `${directory}/SKILL.md`);
    if (!skill) throw invalid(uri);
    return { ...kCaching, skill: entryOf(skill) };
  });
  server.server.setRequestHandler('resources/directory/read', named, ({ uri }) => {
    const resources = childrenOf(uri);
    if (resources.length === 0) throw invalid(uri);
    return { resultType: 'complete', resources };
  });
}

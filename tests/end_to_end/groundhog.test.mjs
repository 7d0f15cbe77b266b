// Groundhog's clients before the gateway, with the configuration that docs/other-protocols.md has for
// them: every row of the tables of its document, by section.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { eventually } from './assertions.mjs';
import { GroundhogClient, Groundhog, kNoSandbox } from './groundhog_stage.mjs';
import { freePort } from './harness.mjs';

const kRead = ['read:filesystem'];
const kUuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** A registration as the document has it, with the level that the page's sandbox keeps. */
const registration = (more = {}) => ({
  tool_metadata: { name: 'directory_list', version: '1.0.0', description: 'Lists folders', author: 'Groundhog Team', categories: ['filesystem', 'audited'], ...more.metadata },
  security_profile: { permissions: ['write:filesystem'], sandbox_level: 'process', resource_limits: { max_execution_time: 30 }, ...more.profile },
  schema: { input: { type: 'object', properties: { max_depth: { maximum: 3 } } }, output: { type: 'object', required: ['entries'] }, ...more.schema },
  ...more.params,
});

/** An error of a call, in the members of the document. */
function assertFailed({ error }, type, code) {
  assert.ok(error, 'an error');
  assert.deepEqual([error.code, error.message], [-32601, 'Tool execution failed']);
  const { data } = error;
  assert.deepEqual([data.error_type, data.error_code], [type, code], JSON.stringify(error));
  assert.ok(data.error_message.length > 0);
  assert.match(data.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  return data;
}

describe('Groundhog', () => {
  const place = new Groundhog();
  let user;
  let dora;
  before(async () => {
    await place.start();
    user = place.client('user123');
    dora = place.client('dora');
  });
  after(() => place.stop());

  const records = (kind) => place.gateway.records().filter((one) => one.kind === kind);
  const namesOf = ({ result }) => result.tools.map(({ tool_id: id }) => id);

  describe('tools/list', () => {
    it('lists what the caller may call, with its members', async () => {
      const { result } = await user.list();
      assert.deepEqual(result.tools.map(({ tool_id: id }) => id), ['directory_list', 'forge', 'odd', 'read_file', 'slow']);
      assert.equal(result.total_matches, 5);
      assert.ok(result.search_time >= 0);
      const { schema, ...listed } = result.tools[0];
      assert.deepEqual(listed, {
        tool_id: 'directory_list', name: 'directory_list', version: '2.1.0', description: 'Secure directory listing tool',
        categories: ['filesystem', 'utility'], trust_level: 'verified', permissions: kRead,
      });
      assert.deepEqual(schema.input.required, ['path']);
    });

    it('lists by category and by trust level', async () => {
      assert.deepEqual(namesOf(await user.list({ category: 'filesystem', trust_level: 'verified' })), ['directory_list', 'read_file']);
      assert.deepEqual(namesOf(await user.list({ category: 'utility' })), ['directory_list']);
      assert.deepEqual(namesOf(await user.list({ trust_level: 'system' })), []);
      assert.deepEqual(namesOf(await user.list({ category: 'none' })), []);
    });

    it('searches, ranks and limits, over what the caller may call', async () => {
      const { result } = await user.list({ query: 'secure directory', limit: 1 });
      assert.deepEqual([namesOf({ result }), result.total_matches], [['directory_list'], 1], 'hidden is secure, too');
      const all = await user.list({ limit: 2 });
      assert.deepEqual([namesOf(all).length, all.result.total_matches], [2, 5]);
    });

    for (const [params, member] of [[{ limit: 0 }, 'limit'], [{ query: 4 }, 'query'], [{ categories: [] }, 'no other members'], [{ trust_level: 'high' }, 'trust_level']]) {
      it(`answers params that it has not: ${JSON.stringify(params)}`, async () => {
        const { error } = await user.list(params);
        assert.equal(error.code, -32602);
        assert.equal(error.data.error_code, 'invalid_params');
        assert.match(JSON.stringify(error), new RegExp(member));
      });
    }
  });

  describe('tools/invoke', () => {
    it('invokes, and answers with the members of the document', async () => {
      const { result } = await user.invoke('directory_list', { path: './src' });
      const { audit_id: audit } = result.security_context;
      assert.match(audit, kUuid);
      assert.deepEqual(
        { ...result, data: { ...result.data, metadata: { ...result.data.metadata, execution_time: 0 } } },
        {
          tool_id: 'directory_list', execution_id: `exec-${audit}`, status: 'success',
          data: {
            path: './src', entries: [{ name: 'main.rs', path: 'src/main.rs'.replace(/^/, './'), type: 'file' }],
            metadata: { total_entries: 1, execution_time: 0, truncated: false },
          },
          security_context: { access_granted: true, permissions_used: kRead, audit_id: audit },
        },
      );
      assert.ok(result.data.metadata.execution_time > 0);
      const decision = records('decision').find((one) => one.decision_id === audit);
      assert.deepEqual([decision.method, decision.target, decision.principal, decision.endpoint], ['tools/call', 'directory_list', 'user123', 'groundhog']);
    });

    it('keeps what the tool says in its metadata', async () => {
      const { result } = await user.invoke('directory_list', { path: './src', recursive: true, max_depth: 3 });
      assert.equal(result.data.metadata.total_entries, 1001);
      assert.equal(result.data.metadata.depth, 3);
    });

    it('answers content where there is nothing structured, redacted', async () => {
      const { result } = await user.invoke('read_file', { path: './secret.txt' });
      assert.match(result.data.content[0].text, /^AWS_SECRET_ACCESS_KEY=/);
      assert.doesNotMatch(JSON.stringify(result), /kX8dPq2R/);
    });

    it('answers a path outside the allowed folder', async () => {
      const data = assertFailed(await user.invoke('directory_list', { path: '/etc/passwd' }), 'security_error', 'path_outside_root');
      assert.equal(data.details.requested_path, '/etc/passwd');
      assert.ok(data.details.reason.length > 0);
      assert.equal(data.security_context.violation_type, 'unauthorized_access');
      assert.match(data.security_context.audit_id, kUuid);
    });

    for (const path of ['../../etc/passwd', './etc', './src/../../x', '~/.ssh/id_rsa']) {
      it(`answers ${path} as a violation`, async () => {
        const { error } = await user.invoke('directory_list', { path });
        assert.equal(error.data.error_type, 'security_error');
      });
    }

    it('answers parameters that do not fit', async () => {
      assertFailed(await user.invoke('directory_list', { path: './src', max_depth: 'three' }), 'validation_error', 'arguments_invalid');
    });

    it('answers another version, to whom may call the tool alone', async () => {
      const data = assertFailed(await user.invoke('directory_list', { path: './src' }, { version: '9.9.9' }), 'protocol_error', 'invalid_params');
      assert.deepEqual(data.details.violations, [{ pointer: '/tool_version', keyword: 'const', expected: '2.1.0' }]);
      const { details } = assertFailed(await user.invoke('hidden', {}, { version: '9.9.9' }), 'security_error', 'forbidden');
      assert.equal(details.suggestion, 'Request access to an allowed directory');
    });

    it('answers a tool that nobody has', async () => {
      const { error } = await user.invoke('no_such_tool', {});
      assert.ok(['tool_unknown', 'no_matching_rule'].includes(error.data.error_code), JSON.stringify(error));
    });

    it('answers an error of the tool as one', async () => {
      const data = assertFailed(await user.invoke('read_file', { path: './missing.txt' }), 'tool_error', 'tool_failed');
      assert.match(data.details.reason, /No such file/);
    });

    it('lets no server pass for the gateway', async () => {
      const data = assertFailed(await user.invoke('forge', {}), 'tool_error', 'tool_failed');
      assert.equal(data.security_context.violation_type, undefined);
      assert.notEqual(data.security_context.audit_id, '01a1fe6b-0000-7000-8000-000000000000');
    });

    it('grants nothing for what the client says of itself', async () => {
      const context = { user_id: 'root', session_id: 'x', permissions: ['*'], role: 'system', trust_level: 'system' };
      const data = assertFailed(await user.invoke('hidden', {}, { context }), 'security_error', 'forbidden');
      assert.equal(records('decision').find((one) => one.decision_id === data.security_context.audit_id).principal, 'user123');
      assertFailed(await user.invoke('directory_list', { path: './src' }, { context }), 'security_error', 'permission_missing');
    });

    it('narrows a call to the permissions that the client names', async () => {
      const given = (permissions) => user.invoke('directory_list', { path: './src' }, { context: { permissions } });
      assert.ok((await given(kRead)).result, 'the one that the tool needs');
      assertFailed(await given([]), 'security_error', 'permission_missing');
      assertFailed(await given(['read:network']), 'security_error', 'permission_missing');
      assertFailed(await given([...kRead, 'write:filesystem']), 'security_error', 'permission_missing');
    });

    for (const [params, member] of [
      [{ tool_id: 'directory_list', parameters: {} }, 'tool_version'],
      [{ tool_version: '2.1.0', parameters: {} }, 'tool_id'],
      [{ tool_id: 'directory_list', tool_version: '2.1.0', parameters: [] }, 'parameters'],
      [{ tool_id: 'directory_list', tool_version: '2.1.0', arguments: {} }, 'no other members'],
      [{ tool_id: 'directory_list', tool_version: '2.1.0', security_context: { permissions: 'all' } }, 'permissions'],
    ]) {
      it(`answers params that it has not: ${JSON.stringify(params)}`, async () => {
        const { error } = await user.ask('tools/invoke', params);
        assert.deepEqual([error.code, error.data.error_type], [-32602, 'protocol_error']);
        assert.match(error.data.details.reason, new RegExp(member));
      });
    }
  });

  describe('the protocol', () => {
    for (const method of ['tools/call', 'initialize', 'resources/list', 'tools/Invoke']) {
      it(`answers a method that it has not: ${method}`, async () => {
        const { error } = await user.ask(method, { name: 'directory_list' });
        assert.deepEqual([error.code, error.data.error_type, error.data.error_code], [-32601, 'protocol_error', 'method_not_found']);
      });
    }

    it('answers what is no JSON, no message and a batch', async () => {
      for (const [text, code] of [['{', -32700], ['{"jsonrpc":"1.0","id":"x","method":"tools/list"}', -32600], ['[{"jsonrpc":"2.0","id":"b","method":"tools/list"}]', -32600]]) {
        const client = place.client('user123');
        await client.list();
        const before = client.peer.received.length;
        client.peer.write(text);
        await eventually(() => client.peer.received.length > before, text);
        const { error } = client.peer.received.at(-1);
        assert.equal(error.code, code, text);
        assert.equal(error.data.error_type, 'protocol_error');
      }
    });

    it('needs a key', async () => {
      const stranger = new GroundhogClient(`ws://127.0.0.1:${place.port}/mcp`);
      await eventually(() => stranger.peer.error ?? stranger.peer.isClosed, 'no connection');
      const answer = await fetch(`http://127.0.0.1:${place.port}/mcp`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
      assert.equal(answer.status, 426, 'over WebSocket alone');
    });

    it('sends nothing but answers', () => {
      assert.ok([...user.peer.received, ...dora.peer.received].every((message) => 'id' in message));
    });
  });

  describe('tools/register', { skip: kNoSandbox }, () => {
    it('is for registrars alone', async () => {
      const { error } = await user.ask('tools/register', registration());
      assert.deepEqual([error.data.error_type, error.data.error_code], ['security_error', 'no_matching_rule']);
      assert.deepEqual((await place.decide('list')).registrations, []);
    });

    for (const [name, more, text] of [
      ['a command', { params: { command: ['/bin/sh'] } }, /command/],
      ['a URL in the metadata', { metadata: { url: 'http://127.0.0.1/' } }, /url/],
      ['a stronger sandbox than the server has', { profile: { sandbox_level: 'container' } }, /level = \\"container\\"/],
      ['less memory than the server may use', { profile: { resource_limits: { max_memory: 1024 } } }, /total_memory/],
      ['a schema that is none', { schema: { input: { type: 'thing' } } }, /schema/],
      ['a permission that is none', { profile: { permissions: ['*'] } }, /permissions/],
      ['a tool that no server lists', { metadata: { name: 'rm_rf' } }, /tool_unknown/],
      ['a version that is none', { metadata: { version: '' } }, /version/],
    ]) {
      it(`refuses a registration: ${name}`, async () => {
        const answer = await dora.ask('tools/register', registration(more));
        assert.ok(answer.error, JSON.stringify(answer));
        assert.match(JSON.stringify(answer.error), text);
        assert.deepEqual((await place.decide('list')).registrations, []);
      });
    }

    it('registers, and quarantines the tool until a person approves', async () => {
      assert.ok((await user.invoke('directory_list', { path: './src' })).result, 'before');
      const { result } = await dora.ask('tools/register', registration());
      assert.deepEqual([result.tool_id, result.registration_id, result.status], ['directory_list', '1', 'pending_approval']);
      assert.equal(result.security_context.access_granted, false);
      await eventually(async () => 'error' in (await user.invoke('directory_list', { path: './src' })), 'quarantine');
      assertFailed(await user.invoke('directory_list', { path: './src' }), 'tool_error', 'tool_quarantined');
      assertFailed(await dora.invoke('directory_list', { path: './src' }, { version: '1.0.0' }), 'tool_error', 'tool_quarantined');
      assert.ok(!namesOf(await user.list()).includes('directory_list'));
      const decision = records('decision').find((one) => one.method === 'tools/register' && one.decision === 'permit');
      assert.deepEqual([decision.principal, decision.server, decision.target], ['dora', 'tools', 'directory_list']);
      assert.match(decision.detail, /version 1\.0\.0, waits for a person/);
    });

    it('answers the same words with the same registration', async () => {
      const { result } = await dora.ask('tools/register', registration());
      assert.deepEqual([result.registration_id, result.status], ['1', 'pending_approval']);
    });

    it('survives a restart', async () => {
      await place.restart();
      [user, dora] = [place.client('user123'), place.client('dora')];
      assertFailed(await user.invoke('directory_list', { path: './src' }), 'tool_error', 'tool_quarantined');
      assert.equal((await place.decide('list')).registrations[0].state, 'pending');
    });

    it('is approved by a person, and adds to the profile', async () => {
      assert.equal((await place.decide('approve', 1)).code, 0);
      await eventually(async () => namesOf(await dora.list()).includes('directory_list'), 'it is listed');
      const listed = (await dora.list({ category: 'audited' })).result.tools;
      assert.deepEqual([listed.length, listed[0].version, listed[0].author, listed[0].description], [1, '1.0.0', 'Groundhog Team', 'Lists folders']);
      assert.deepEqual(listed[0].permissions, ['read:filesystem', 'write:filesystem']);
      const version = '1.0.0';
      assert.ok((await dora.invoke('directory_list', { path: './src', max_depth: 3 }, { version })).result);
      assertFailed(await dora.invoke('directory_list', { path: './src', max_depth: 4 }, { version }), 'validation_error', 'argument_refused');
      assertFailed(await dora.invoke('directory_list', { path: './src' }), 'protocol_error', 'invalid_params');
      assertFailed(await dora.invoke('directory_list', { path: '/etc' }, { version }), 'security_error', 'path_outside_root');
      const approved = records('registration').at(-1);
      assert.deepEqual([approved.decision, approved.server, approved.target, approved.transport], ['permit', 'tools', 'directory_list', 'admin']);
      assert.match(approved.detail, /^approves registration 1 by dora, version 1\.0\.0$/);
    });

    it('needs the permission of the registration, too', async () => {
      assertFailed(await user.invoke('directory_list', { path: './src' }, { version: '1.0.0' }), 'security_error', 'permission_missing');
    });

    it('holds structured content against the registered schema', async () => {
      const odd = registration({ metadata: { name: 'tools/odd' }, profile: { permissions: [] } });
      const { result } = await dora.ask('tools/register', odd);
      assert.equal((await place.decide('approve', result.registration_id)).code, 0);
      const invoke = (answer) => dora.invoke('odd', { answer }, { version: '1.0.0' });
      await eventually(async () => 'result' in (await invoke({ entries: [] })), 'it may be called');
      const answer = await invoke({ other: 1 });
      assert.ok(answer.error || !('other' in answer.result.data), JSON.stringify(answer));
      assert.doesNotMatch(JSON.stringify(answer), /"other":1/);
    });

    it('ends a call that takes longer than its registration says', async () => {
      const slow = registration({ metadata: { name: 'slow' }, profile: { permissions: [], resource_limits: { max_execution_time: 0.2 } }, schema: { output: {} } });
      const { result } = await dora.ask('tools/register', slow);
      assert.equal((await place.decide('approve', result.registration_id)).code, 0);
      const invoke = (seconds) => dora.invoke('slow', { seconds }, { version: '1.0.0' });
      await eventually(async () => !/quarantined/.test(JSON.stringify(await invoke(0))), 'it may be called');
      assertFailed(await invoke(5), 'system_error', 'server_timeout');
    });

    it('quarantines the tool anew for another version, and keeps the one before when that is removed', async () => {
      const { result } = await dora.ask('tools/register', registration({ metadata: { version: '1.1.0' } }));
      await eventually(async () => 'error' in (await dora.invoke('directory_list', { path: './src' }, { version: '1.0.0' })), 'quarantine');
      assert.equal((await place.decide('remove', result.registration_id)).code, 0);
      await eventually(async () => 'result' in (await dora.invoke('directory_list', { path: './src' }, { version: '1.0.0' })), 'version 1.0.0');
    });

    it('says what it cannot decide', async () => {
      assert.match((await place.decide('approve', 99)).stderr, /there is no registration 99/);
      assert.match((await place.decide('approve', 1)).stderr, /approved already/);
    });
  });

  it('was recorded, and the servers heard of nothing that was refused', async () => {
    assert.ok(!place.called().includes('hidden'));
    const permitted = records('decision').filter((one) => one.method === 'tools/call' && one.decision === 'permit');
    assert.equal(place.called().length, permitted.length);
    assert.ok(records('refusal').length > 0);
  });
});

describe('Groundhog, for whom is trusted less', () => {
  const place = new Groundhog();
  before(() => place.start({ pieces: [['[role.assistant]\ntrust = "verified"', '[role.assistant]\ntrust = "untrusted"']] }));
  after(() => place.stop());

  it('tells less', async () => {
    const data = assertFailed(await place.client('user123').invoke('directory_list', { path: '/etc/passwd' }), 'security_error', 'path_outside_root');
    assert.equal(data.details.requested_path, undefined);
    assert.equal(data.details.pointer, undefined);
    assert.match(data.security_context.audit_id, kUuid);
  });
});

describe('Groundhog, with a tool whose argument is renamed', { skip: kNoSandbox }, () => {
  const place = new Groundhog();
  before(() => place.start({ more: '[tool."tools/odd"]\nrename = { "/answer" = "/reply" }\n' }));
  after(() => place.stop());

  it('holds its argument against the registered schema under either name', async () => {
    const dora = place.client('dora');
    const schema = { input: { type: 'object', properties: { answer: { maximum: 3 } } }, output: undefined };
    const { result } = await dora.ask('tools/register', registration({ metadata: { name: 'odd' }, profile: { permissions: [] }, schema }));
    assert.equal((await place.decide('approve', result.registration_id)).code, 0);
    const invoke = (given) => dora.invoke('odd', given, { version: '1.0.0' });
    await eventually(async () => 'result' in (await invoke({ answer: 3 })), 'it may be called');
    assert.ok((await invoke({ reply: 3 })).result);
    for (const given of [{ answer: 4 }, { reply: 4 }]) assertFailed(await invoke(given), 'validation_error', 'argument_refused');
  });
});

describe('Groundhog, with a tool that needs an approval', () => {
  const place = new Groundhog();
  const more = `[rule.odd-needs-dora]
effect = "require_approval"
roles = ["*"]
tools = ["tools/odd"]
approvers = ["developer"]
`;
  before(async () => place.start({ more: `${more}[console]\naddress = "127.0.0.1:${await freePort()}"\nroles = ["developer"]\n` }));
  after(() => place.stop());

  it('asks nobody about a version or permissions that do not fit', async () => {
    const user = place.client('user123');
    const call = (more) => user.invoke('odd', {}, more);
    assertFailed(await call({ version: '9.9.9' }), 'protocol_error', 'invalid_params');
    const context = { user_id: 'user123', session_id: 's', permissions: ['write:filesystem'] };
    assertFailed(await call({ context }), 'security_error', 'permission_missing');
    const steps = () => place.gateway.records().filter(({ kind }) => kind === 'approval');
    assert.deepEqual(steps(), [], 'nobody was asked');
    assert.equal((await call({})).error.data.error_code, 'needs_approval');
    await eventually(() => steps().length > 0, 'somebody is asked');
  });
});

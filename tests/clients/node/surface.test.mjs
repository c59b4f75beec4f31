// openai-node as a program uses it: its streams, its parser, its polling, its conversations, its socket.
//
// HOLDOVER_BIN is the server under test. Each test speaks in a session of its own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';

import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { z } from 'zod';

const MODEL = 'gpt-5.6';
// Background runs go on with each poll, so a run is over after a few.
const POLLS_MAX = 10;

let server;
let root;

before(async () => {
  assert.ok(process.env.HOLDOVER_BIN, 'set HOLDOVER_BIN to the binary');
  server = spawn(process.env.HOLDOVER_BIN, ['serve', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(server.stdout), 'line');
  root = line.match(/http:\/\/\S+(?=\/v1)/)[0];
});

after(() => server?.kill());

async function own(method, path, body) {
  const answer = await fetch(`${root}/_holdover/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return text;
}

async function client(session, setup = {}) {
  const opened = JSON.parse(await own('PUT', `sessions/${session}`, setup));
  return new OpenAI({ baseURL: opened.base_url, apiKey: 'sk-test', maxRetries: 0 });
}

test('it runs on Node 22', () => {
  assert.match(process.version, /^v22\./);
});

test('a stream accumulates what is stored', async () => {
  const sdk = await client('stream');
  let text = '';
  const stream = sdk.responses
    .stream({ model: MODEL, input: 'Plan.', reasoning: { effort: 'low', summary: 'auto' } })
    .on('response.output_text.delta', (event) => (text += event.delta));
  const final = await stream.finalResponse();
  assert.equal(text, final.output_text);
  assert.deepEqual(
    final.output.map((item) => item.type),
    ['reasoning', 'message'],
  );
  const stored = await sdk.responses.retrieve(final.id);
  assert.equal(stored.output_text, final.output_text);
});

test('what was asked for is parsed', async () => {
  const sdk = await client('parse');
  const Plan = z.object({ steps: z.array(z.object({ title: z.string(), days: z.number().int() })), risk: z.number() });
  const response = await sdk.responses.parse({
    model: MODEL,
    input: 'Plan.',
    text: { format: zodTextFormat(Plan, 'plan') },
  });
  Plan.parse(response.output_parsed);
});

test('a history of items is clean', async () => {
  const sdk = await client('replay');
  const request = { model: MODEL, store: false, include: ['reasoning.encrypted_content'] };
  const history = [{ role: 'user', content: 'Plan.' }];
  for (const question of ['And then?', 'And the way back?']) {
    const response = await sdk.responses.create({ ...request, input: history });
    history.push(...response.output, { role: 'user', content: question });
  }
  await sdk.responses.create({ ...request, input: history });
  const verdict = JSON.parse(await own('POST', 'sessions/replay/finish', {}));
  assert.equal(verdict.verdict, 'clean');
  assert.deepEqual(verdict.findings, []);
});

test('a background run is polled to its end, and its stream resumed', async () => {
  const sdk = await client('background');
  let response = await sdk.responses.create({ model: MODEL, input: 'Plan.', background: true });
  const seen = [response.status];
  for (let poll = 0; poll < POLLS_MAX && ['queued', 'in_progress'].includes(response.status); poll++) {
    response = await sdk.responses.retrieve(response.id);
    seen.push(response.status);
  }
  assert.deepEqual(seen, ['queued', 'in_progress', 'completed']);
  const whole = [];
  const stream = await sdk.responses.create({ model: MODEL, input: 'Again.', background: true, stream: true });
  for await (const event of stream) whole.push(event);
  const rest = [];
  const resumed = await sdk.responses.retrieve(whole[0].response.id, { stream: true, starting_after: 3 });
  for await (const event of resumed) rest.push(event);
  assert.deepEqual(rest, whole.slice(4));
});

test('conversations are made, read, changed and deleted', async () => {
  const sdk = await client('conversations');
  const made = await sdk.conversations.create({ items: [{ type: 'message', role: 'user', content: 'Hello.' }] });
  const response = await sdk.responses.create({ model: MODEL, input: 'Plan.', conversation: made.id });
  assert.equal(response.conversation.id, made.id);
  const kinds = [];
  for await (const item of sdk.conversations.items.list(made.id, { order: 'asc', limit: 2 })) kinds.push(item.type);
  assert.deepEqual(kinds, ['message', 'message', 'reasoning', 'message']);
  assert.deepEqual((await sdk.conversations.update(made.id, { metadata: { a: 'b' } })).metadata, { a: 'b' });
  assert.equal((await sdk.conversations.delete(made.id)).deleted, true);
  await assert.rejects(sdk.conversations.retrieve(made.id), OpenAI.NotFoundError);
});

test('a failure in a stream is thrown', async () => {
  const sdk = await client('failed', { replies: [[{ message: 'Part' }, { end: { failed: 'server_error' } }]] });
  const stream = await sdk.responses.create({ model: MODEL, input: 'Plan.', stream: true });
  await assert.rejects(async () => {
    for await (const event of stream) void event;
  }, OpenAI.APIError);
});

test('a refusal has the class of its status', async () => {
  const sdk = await client('refused');
  await assert.rejects(
    sdk.responses.create({ model: MODEL, input: 'x', previous_response_id: 'resp_none' }),
    (error) => error instanceof OpenAI.BadRequestError && error.code === 'previous_response_not_found',
  );
});

test("the SDK's own socket continues what is not stored", async () => {
  const sdk = await client('socket');
  const socket = new ResponsesWS(sdk);
  const ids = [];
  const done = new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('response.completed', (event) => {
      ids.push(event.response.id);
      if (ids.length === 2) return resolve();
      ask('And then?', { previous_response_id: event.response.id });
    });
  });
  const ask = (input, more) => socket.send({ type: 'response.create', model: MODEL, store: false, input, ...more });
  ask('Plan.', {});
  await done;
  socket.close();
  assert.equal(new Set(ids).size, 2);
  const lines = (await own('GET', 'recording?session=socket')).trim().split('\n').slice(1);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).transport),
    ['ws', 'ws'],
  );
});

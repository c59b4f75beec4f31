// LangChain.js: a list of messages, the answer appended as it came.
import { readFile, writeFile } from "node:fs/promises";
import { ChatOpenAI } from "@langchain/openai";
import {
  HumanMessage,
  SystemMessage,
  ToolMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  trimMessages,
} from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { Driver, given, reasoning, serve } from "./contract.mjs";

class LangChain extends Driver {
  static client = "@langchain/openai";
  static package = "@langchain/openai";
  static has = ["limit", "schema"];

  async begin() {
    const { model, base_url, api_key, store, include, stream, tools, instructions, output_schema } = this.settings;
    const modelKwargs = given({ store, include });
    let chat = new ChatOpenAI({
      model,
      apiKey: api_key,
      configuration: { baseURL: base_url },
      useResponsesApi: true,
      reasoning: reasoning(this.settings),
      streaming: stream,
      maxRetries: 0,
      modelKwargs,
      ...(store === false && include ? { zdrEnabled: true } : {}),
    });
    if (tools.length) chat = chat.bindTools(tools.map((tool) => ({ type: "function", function: tool })));
    if (output_schema) chat = chat.withStructuredOutput(output_schema, { includeRaw: true, method: "jsonSchema" });
    this.chat = chat;
    this.history = instructions ? [new SystemMessage(instructions)] : [];
  }

  async ask() {
    const { history_limit, stream, output_schema } = this.settings;
    let messages = this.history;
    if (history_limit !== null) {
      const tokenCounter = (counted) => counted.length;
      messages = await trimMessages(messages, { maxTokens: history_limit, tokenCounter, includeSystem: true });
    }
    let answer;
    if (output_schema) {
      answer = (await this.chat.invoke(messages)).raw;
    } else if (stream) {
      for await (const chunk of await this.chat.stream(messages)) answer = answer ? concat(answer, chunk) : chunk;
    } else {
      answer = await this.chat.invoke(messages);
    }
    this.history.push(answer);
    return answer;
  }

  async user(text) {
    this.history.push(new HumanMessage(text));
    let answer = await this.ask();
    while (answer.tool_calls?.length) {
      for (const call of answer.tool_calls) {
        this.history.push(new ToolMessage({ content: this.tool(call.name), tool_call_id: call.id }));
      }
      answer = await this.ask();
    }
    return answer.text;
  }

  async save(file) {
    await writeFile(file, JSON.stringify(mapChatMessagesToStoredMessages(this.history)));
  }

  async load(file) {
    this.history = mapStoredMessagesToChatMessages(JSON.parse(await readFile(file, "utf-8")));
  }
}

await serve(LangChain);

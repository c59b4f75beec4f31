// Vercel's AI SDK with the provider that is its argument: `responseMessages` go back as they came.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { AiSdkMessages } from "./ai_sdk_messages.mjs";
import { serve } from "./contract.mjs";

const PROVIDERS = {
  anthropic: {
    wire: "anthropic-messages",
    model: ({ base_url, api_key, model }) => createAnthropic({ baseURL: base_url, apiKey: api_key })(model),
    options: ({ effort }) => ({ anthropic: { thinking: { type: "adaptive" }, effort } }),
  },
  google: {
    wire: "gemini-generate",
    model: ({ base_url, api_key, model }) =>
      createGoogleGenerativeAI({ baseURL: `${base_url}beta`, apiKey: api_key })(model),
    options: ({ effort }) => ({ google: { thinkingConfig: { thinkingLevel: effort } } }),
  },
};
const NAME = process.argv[2];
const PROVIDER = PROVIDERS[NAME];

class AiSdk extends AiSdkMessages {
  static client = `ai + @ai-sdk/${NAME}`;
  static package = `@ai-sdk/${NAME}`;
  static wire = PROVIDER.wire;

  model() {
    return PROVIDER.model(this.settings);
  }

  options() {
    return PROVIDER.options(this.settings);
  }
}

await serve(AiSdk);

// The least that an extension can do to ask: what pi itself costs. Benchmarks run it beside ours.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

type Args = { questions: { prompt: string; options: { label: string }[] }[] };

export default function (pi: ExtensionAPI) {
	pi.registerTool({
		name: "ask_user",
		label: "Ask",
		description: "Asks the user",
		parameters: { type: "object", properties: { questions: { type: "array", items: { type: "object" } } } } as never,
		async execute(_id, args, _signal, _update, ctx) {
			const [question] = (args as Args).questions;
			const options = question?.options ?? [];
			const chosen = await ctx.ui.custom<string>((tui, _theme, _keys, done) => {
				let at = 0;
				return {
					render: () => [
						question?.prompt ?? "",
						...options.map((o, i) => `${i === at ? "❯" : " "} ${i + 1}. ${o.label}`),
						"  The end",
					],
					handleInput(key: string) {
						if (key === "\r") return done(options[at]?.label ?? "");
						if (key === "\x1b[B") at = Math.min(at + 1, options.length - 1);
						if (key === "\x1b[A") at = Math.max(at - 1, 0);
						tui.renderNow();
					},
					invalidate() {},
				};
			});
			return { content: [{ type: "text", text: chosen }], details: {} };
		},
	});
}

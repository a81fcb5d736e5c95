import type { ExtensionAPI, MessageRenderer, Theme } from "@earendil-works/pi-coding-agent";
import { Box, type Component } from "@earendil-works/pi-tui";
import { prepareLabels } from "./label.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { type Draw, Row, type RowContent } from "./rows.ts";
import { Session } from "./session.ts";

/** Registers the tools, the command and the rows. No process is started before a session needs one. */
export default function piAgentAsk(pi: ExtensionAPI): void {
	const manifest = readManifest();
	let session: Session | undefined;
	const current = () => {
		if (!session) throw new Error("The session has not started yet; call the tool again.");
		return session;
	};
	for (const tool of manifest.tools) registerTool(pi, tool, current, () => session);
	for (const { name, description } of manifest.commands) {
		pi.registerCommand(name, { description, handler: () => current().settings() });
	}
	for (const type of manifest.messageTypes)
		pi.registerMessageRenderer(
			type,
			answerCard(() => session),
		);

	const { submit } = manifest.channels;
	let unsubscribe = () => {};
	pi.on("session_start", (event, ctx) => {
		session = new Session(pi, ctx, manifest, event.reason);
		if (submit) unsubscribe = pi.events.on(submit, (data) => session?.submit(submit, data));
	});
	pi.on("session_shutdown", async () => {
		unsubscribe();
		await session?.shutdown();
	});
	pi.on("session_tree", () => session?.tree());
	pi.on("turn_start", () => session?.tell("turn/start"));
	pi.on("agent_settled", () => session?.tell("agent/settled"));
	pi.on("session_compact", () => session?.idle());
	pi.on("session_compact_failed", () => session?.idle());
	pi.on("turn_end", (event) => boundary(session, event.entries));
	pi.on("agent_before_settle", (event) => boundary(session, event.entries));
}

type Answer = { customType: string; content: string; display: boolean; details?: unknown };

/** Answers that are ready join the conversation between two turns, behind what others have proposed. */
async function boundary<T>(session: Session | undefined, proposed: T[]) {
	const found = await session?.tell<{ entries: Answer[]; continue: boolean }>("turn/boundary");
	if (!found?.entries.length) return undefined;
	const entries = found.entries.map((e) => ({ type: "custom_message" as const, ...e }));
	return { entries: [...proposed, ...entries], ...(found.continue ? { continue: true } : {}) };
}

type Sessions = () => Session | undefined;

function registerTool(
	pi: ExtensionAPI,
	tool: Manifest["tools"][number],
	current: () => Session,
	session: Sessions,
): void {
	const asks = tool.name === "ask_user";
	const row = (
		content: RowContent,
		theme: Theme,
		context: { lastComponent: Component | undefined; invalidate(): void },
	) => {
		const last = context.lastComponent;
		const made =
			last instanceof Row ? last : new Row(tool.name, content, theme, (r) => session()?.drawRow(r), context.invalidate);
		return made.set(content, theme);
	};
	pi.registerTool({
		...tool,
		...(asks ? { prepareArguments: (args: unknown) => prepareLabels(args) as never } : {}),
		executionMode: asks ? "sequential" : "parallel", // what stands behind a question in the same message waits for the answer
		execute: (id, params, signal, _update, ctx) => current().execute(id, tool.name, params, ctx.cwd, signal),
		renderCall: (args, theme, context) => row({ kind: asks ? "call" : "waitCall", args }, theme, context),
		renderResult: ({ content, details }, _options, theme, context) =>
			row({ kind: asks ? "result" : "wait", content, details }, theme, context),
	});
}

/** The card of an answer that arrived by itself. Without readable details pi draws the message its own way. */
function answerCard(session: Sessions): MessageRenderer<{ requestId?: unknown } | undefined> {
	const rows = new WeakMap<object, Row>(); // pi asks again for every change of theme or width
	return (message, { outputPad }, theme) => {
		const { content, details, customType } = message;
		if (typeof details?.requestId !== "string") return undefined;
		const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
		const draw: Draw = (row) => session()?.drawRow(row);
		const answer: RowContent = { kind: "answer", content: blocks, details };
		const row = rows.get(message) ?? new Row(customType, answer, theme, draw, () => session()?.redraw());
		rows.set(message, row);
		const box = new Box(outputPad, 1, (text) => theme.bg("customMessageBg", text));
		box.addChild(row);
		return box;
	};
}

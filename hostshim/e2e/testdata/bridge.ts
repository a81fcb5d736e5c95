// A second extension for the tests: it writes down what goes over the bus, and does what the test asks for in a file,
// since no command can be typed while a form has the keyboard.
import { appendFileSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.BRIDGE_DIR;
const channels = ["pi-agent-ask:started", "pi-agent-ask:completed", "pi-agent-ask:submit-result", "herdr:blocked"];

export default function (pi) {
	let session; // what the newest session can do
	let screen;
	let slot; // pi's editor and what holds it
	const holder = (node, child) =>
		node.children?.includes(child) ? node : node.children?.map((c) => holder(c, child)).find((found) => found);
	const look = () => {
		const focused = screen.getFocusedComponent();
		if (!slot && focused && "setAutocompleteProvider" in focused) slot = { editor: focused, place: holder(screen, focused) };
		return [];
	};
	const put = (component) => {
		slot.place.clear();
		slot.place.addChild(component);
		screen.setFocus(component);
		screen.requestRender();
	};
	const note = (channel, data) => appendFileSync(join(folder, "events.jsonl"), `${JSON.stringify({ channel, data })}\n`);
	const keep = { withSession: async (ctx) => void (globalThis.bridgeCommands = ctx) };
	const actions = {
		reload: async () => {
			while (!session.isIdle()) await new Promise((next) => setTimeout(next, 20));
			await globalThis.bridgeCommands.reload();
		},
		new: () => globalThis.bridgeCommands.newSession(keep),
		switch: ({ path }) => globalThis.bridgeCommands.switchSession(path, keep),
		fork: ({ id }) => globalThis.bridgeCommands.fork(id, { position: "at", ...keep }),
		tree: ({ id }) => globalThis.bridgeCommands.navigateTree(id, {}),
		// What pi does when it closes its own box after /reload: whatever is in the slot is thrown out, nobody is told.
		clear: () => put(slot.editor),
		// What pi does for a login: its dialog takes the slot from whoever has it, and gives it back to the editor.
		dialog: () => put({ render: () => ["Log in here"], invalidate() {}, handleInput: () => put(slot.editor) }),
		abort: () => session.abort(),
		compact: () => new Promise((onComplete, onError) => session.compact({ onComplete, onError })),
		select: async () => note("selected", await session.ui.select("Pick one of these", ["red", "green"])),
		editor: ({ text }) => session.ui.setEditorText(text),
		read: () => note("editor", session.ui.getEditorText()),
		message: ({ text }) => pi.sendMessage({ customType: "bridge", content: text, display: true }, { triggerTurn: true }),
		submit: ({ data }) => pi.events.emit("pi-agent-ask:submit", data?.flowId === "newest" ? { ...data, flowId: globalThis.bridgeFlow } : data),
	};
	for (const channel of channels) {
		pi.events.on(channel, (data) => {
			note(channel, data);
			if (channel !== "pi-agent-ask:started") return;
			globalThis.bridgeFlow = data.flowId;
			if (process.env.BRIDGE_ANSWERS !== "1") return;
			const [{ id, options }] = data.questions;
			const response = { kind: "answer", answers: { [id]: { values: [options[0].value] } } };
			pi.events.emit("pi-agent-ask:submit", { version: 1, requestId: "smoke", flowId: data.flowId, response });
		});
	}
	pi.registerCommand("bridge", {
		description: "keep the commands for later",
		handler: async (_args, ctx) => {
			globalThis.bridgeCommands = ctx;
			note("ready", null);
		},
	});
	let timer;
	pi.on("session_start", (_event, ctx) => {
		session = ctx;
		if (ctx.mode === "tui") {
			ctx.ui.setWidget("bridge", (tui) => {
				screen = tui;
				return { render: look, invalidate() {} };
			});
		}
		note("session", null);
		timer = setInterval(() => {
			try {
				renameSync(join(folder, "do.json"), join(folder, "doing.json"));
			} catch {
				return;
			}
			const action = JSON.parse(readFileSync(join(folder, "doing.json"), "utf8"));
			Promise.resolve()
				.then(() => actions[action.do](action))
				.then(() => note("done", action.do), (e) => note("failed", `${action.do}: ${e.message}`));
		}, 30);
	});
	pi.on("session_shutdown", () => clearInterval(timer));
}

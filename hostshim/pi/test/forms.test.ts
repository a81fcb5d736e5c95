import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import type { Component } from "@earendil-works/pi-tui";
import { Forms } from "../src/forms.ts";

const nativeEditor = { getText: () => "", setAutocompleteProvider: () => {}, render: () => [], invalidate: () => {} };
const selector: Component = { render: () => [], invalidate: () => {} };

/** pi's screen as far as forms see it: a slot, a stack of dialogs, an editor with text, and a probe in every frame. */
function screen() {
	const log: string[] = [];
	const dialogs: { component: Component & { focused?: boolean; dispose?(): void }; saved: string }[] = [];
	let focus: Component = nativeEditor;
	let text = "draft";
	let probe: Component | undefined;
	const tui = {
		terminal: { columns: 80, rows: 24 },
		getFocusedComponent: () => focus,
		renderNow: () => log.push("renderNow"),
	};
	const give = (c: Component & { focused?: boolean }) => {
		if ("focused" in focus) focus.focused = false;
		if ("focused" in c) c.focused = true;
		focus = c;
	};
	const ui = {
		setWidget: (_key: string, factory: (t: unknown) => Component) => {
			probe = factory(tui);
		},
		onTerminalInput: () => {
			log.push("keys dropped");
			return () => log.push("keys heard");
		},
		getEditorText: () => text,
		setEditorText: (t: string) => {
			text = t;
		},
		async custom(factory: (...args: unknown[]) => Component & { dispose?(): void }) {
			const saved = text;
			return new Promise((resolve) => {
				const component = factory(tui, {}, {}, () => {
					const i = dialogs.findIndex((d) => d.component === component);
					dialogs.splice(i, 1);
					if (i === dialogs.length) give(dialogs.at(-1)?.component ?? nativeEditor);
					text = saved;
					resolve(undefined);
				});
				queueMicrotask(() => {
					dialogs.push({ component, saved });
					give(component);
				});
			});
		},
	} as unknown as ExtensionUIContext;
	const forms = new Forms(ui, {
		notify: (method, params) => log.push(`${method} ${params.form}`),
		editor: (native) => log.push(native ? "ready" : "taken"),
		restyled: () => {},
	});
	const settle = () => new Promise((resolve) => setImmediate(resolve));
	return {
		forms,
		give,
		dialogs,
		text: () => text,
		setText: (t: string) => {
			text = t;
		},
		async frame() {
			probe?.render(80);
			await settle();
			await settle();
		},
		/** What has happened since the last time. */
		log: () => log.splice(0),
	};
}

test("a form is mounted, drawn once for all frames that arrived together, and gives the slot back", async () => {
	const s = screen();
	await s.frame();
	await s.forms.free(1);
	await s.forms.open(1, true);
	assert.deepEqual(s.log(), ["ready", "form/mounted 1"]);
	for (const seq of [1, 2]) s.forms.show({ form: 1, seq, cols: 80, rows: 20, lines: [`${seq}`] });
	s.forms.draw();
	s.forms.draw();
	assert.deepEqual(s.log(), ["renderNow"]);
	await s.frame();
	assert.deepEqual(s.log(), [], "our own form is no other dialog");
	s.forms.close(1);
	await s.frame();
	assert.deepEqual(s.log(), ["ready"]);
	assert.equal(s.forms.editorReady, true);
});

test("a form that comes with its first frame is drawn as soon as it has the slot", async () => {
	const s = screen();
	await s.frame();
	assert.deepEqual(s.forms.room, { cols: 80, rows: 20 });
	await s.forms.open(1, true, { form: 1, seq: 1, cols: 80, rows: 20, lines: ["first"] });
	assert.deepEqual(s.log(), ["ready", "form/mounted 1", "renderNow"]);
	assert.deepEqual(s.dialogs[0]?.component.render(80), ["first"]);
	assert.deepEqual(s.log(), ["form/shown 1"]);
});

test("a form waits while one of pi's own selectors has the slot", async () => {
	const s = screen();
	await s.frame();
	s.give(selector);
	await s.frame();
	let free = false;
	const wait = s.forms.free(1).then(() => {
		free = true;
	});
	await s.frame();
	assert.deepEqual([free, s.log()], [false, ["ready", "taken"]]);
	s.give(nativeEditor);
	await s.frame();
	await wait;
	assert.deepEqual(s.log(), ["ready"]);
});

test("a form that is closed before it was shown waits no longer", async () => {
	const s = screen();
	s.give(selector);
	const wait = assert.rejects(s.forms.free(1), /closed before it was shown/);
	s.forms.close(1);
	await wait;
});

test("a slot that pi has cleared is told as lost, and the form can be mounted again", async () => {
	const s = screen();
	await s.frame();
	await s.forms.open(1, true);
	await s.frame();
	s.log();
	s.give(selector); // a login dialog empties the slot
	await s.frame();
	s.give(nativeEditor);
	await s.frame();
	assert.deepEqual(s.log(), ["form/lost 1", "ready"]);
	assert.equal(s.dialogs.length, 0);
	await s.forms.open(1, true);
	assert.deepEqual(s.log(), ["form/mounted 1"]);
});

test("a dialog over the form is no loss", async () => {
	const s = screen();
	await s.frame();
	await s.forms.open(1, true);
	await s.frame();
	s.give(selector);
	await s.frame();
	s.give(s.dialogs[0]?.component ?? nativeEditor);
	await s.frame();
	assert.ok(!s.log().includes("form/lost 1"));
});

test("text that was put into the editor under a form stays", async () => {
	const s = screen();
	await s.forms.open(1, true);
	s.forms.close(1);
	assert.equal(s.text(), "draft");
	await s.forms.open(2, true);
	s.setText("queued by somebody");
	s.forms.close(2);
	assert.equal(s.text(), "queued by somebody");
});

test("keys are dropped behind a form that was ended elsewhere while it had them", async () => {
	const s = screen();
	await s.frame();
	await s.forms.open(1, true);
	s.log();
	s.forms.close(1);
	assert.deepEqual(s.log(), [], "ended by a key");
	await s.forms.open(2, true);
	s.log();
	s.forms.close(2, true);
	assert.deepEqual(s.log(), ["keys dropped"]);
	s.forms.close(2, true);
	await s.forms.open(3, true);
	s.give(selector);
	s.log();
	s.forms.close(3, true);
	assert.deepEqual(s.log(), [], "another dialog had the keys");
	s.give(nativeEditor);
	await s.forms.open(4, true);
	s.log();
	s.forms.closeAll(new Error("the engine is dead"));
	assert.deepEqual(s.log(), ["keys dropped"]);
	s.forms.closeAll(new Error("the session is over"), true);
	assert.deepEqual(s.log(), ["keys heard"]);
});

test("a session that is thrown away loses its forms once", async () => {
	const s = screen();
	await s.forms.open(1, true);
	s.log();
	s.dialogs[0]?.component.dispose?.();
	s.dialogs[0]?.component.dispose?.();
	s.forms.closeAll(new Error("over"));
	assert.deepEqual(s.log(), ["form/lost 1"]);
});
